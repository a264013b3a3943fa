"""The GraphQL documents that the clients send; a test validates them against the schema."""

from __future__ import annotations

_OF_VIEW = """mission text tokens budget estimator ordinal
 leftOut session agent
 items { id handle kind record role section tokens why path lines receipts at level names }
 omitted { id handle kind record reason tokens path lines }"""
_FAULTS = "userErrors { code message field }"
VIEW = (
    "query View($mission: ID!, $budget: Int, $task: ID, $session: ID, $agent: String, $model: String, $before: ID,"
    " $asOf: Int, $kind: String, $delegate: ID, $slice: Boolean! = false, $provider: String) { view(mission: $mission,"
    " budget: $budget, task: $task, session: $session, agent: $agent, model: $model, before: $before, asOf: $asOf,"
    f" kind: $kind, delegate: $delegate, slice: $slice, provider: $provider) {{ {_OF_VIEW} }} }}"
)
EMIT = f"mutation Emit($input: EmitViewInput!) {{ emitView(input: $input) {{ object {{ {_OF_VIEW} }} {_FAULTS} }} }}"
CLOSEOUT = """query Closeout($mission: ID!, $task: ID, $asOf: Int) {
 closeout(mission: $mission, task: $task, asOf: $asOf) { mission verdict head ordinal
 claims { id record handle type text status reason by via receipt because path names covered total nextStep inferred
 waived waiver evidence { relation id handle words depth } }
 findings { code severity rule message ids } } }"""
CLOSEOUT_REPORT = """query CloseoutReport($mission: ID!, $format: ReportFormat!, $task: ID, $asOf: Int) {
 closeoutReport(mission: $mission, format: $format, task: $task, asOf: $asOf) { format mediaType text passed } }"""
NODE = """query Node($id: ID!, $mission: ID, $first: Int, $last: Int) {
 rehydrate(id: $id, mission: $mission, firstLine: $first, lastLine: $last) {
 id handle kind record mission text lines totalLines digest state supersededBy flags fields } }"""
SEARCH = """query Search($text: String!, $mission: ID, $first: Int!, $history: Boolean!) {
 search(text: $text, mission: $mission, first: $first, history: $history) {
 id handle kind record mission ordinal score title snippet line state } }"""
MISSIONS = """query Missions($after: ID, $first: Int!) { missions(after: $after, first: $first) {
 id project format session entries firstPosition lastPosition firstRecordedAt lastRecordedAt } }"""
RECORD = (
    "mutation Record($input: RecordBatchInput!) { recordBatch(input: $input) {"
    f" object {{ position stored duplicates }} {_FAULTS} }} }}"
)
IMPORT = (
    "mutation Import($input: ImportSessionInput!) { importSession(input: $input) { object { mission missions sessions"
    f" files lines parsed quarantined ignored records stored duplicates redacted }} {_FAULTS} }} }}"
)
WITHDRAW = f"mutation Withdraw($input: WithdrawInput!) {{ withdraw(input: $input) {{ object {{ state }} {_FAULTS} }} }}"
RECORDS = """subscription Records($after: Int!) { records(after: $after) {
 position number mission project session stream sourceId actor recordedAt format body } }"""
_PROBLEMS = "problems { code ids message }"
_PACKET_INFO = "id handle record state by session agent compactor model coversTo base budget inForce codes"
PACKET = (
    "query Packet($mission: ID!, $id: ID, $budget: Int, $model: String, $focus: String, $session: ID, $agent: String,"
    " $coversTo: ID, $provider: String, $before: ID, $asOf: Int) { packet(mission: $mission, id: $id, budget: $budget,"
    " model: $model, focus: $focus, session: $session, agent: $agent, coversTo: $coversTo, provider: $provider,"
    " before: $before, asOf: $asOf) { content } }"
)
PACKETS = (
    f"query Packets($mission: ID!, $first: Int!) {{ packets(mission: $mission, first: $first) {{ {_PACKET_INFO} }} }}"
)
CHECK_PACKET = (
    "query CheckPacket($mission: ID!, $id: ID, $packet: JSON, $asOf: Int) {"
    f" checkPacket(mission: $mission, id: $id, packet: $packet, asOf: $asOf) {{ packet inForce {_PROBLEMS} }} }}"
)
ADVICE = """query Advice($model: String!, $tokens: Int!, $kind: String, $mission: ID) {
 shouldCompact(model: $model, tokensInUse: $tokens, taskKind: $kind, mission: $mission) {
 compact reason text tokensInUse model taskKind profile limit window drift source } }"""
PROPOSE_PACKET = (
    "mutation ProposePacket($input: ProposePacketInput!) { proposePacket(input: $input) {"
    f" object {{ id }} {_FAULTS} }} }}"
)
ACCEPT_PACKET = (
    "mutation AcceptPacket($input: AcceptPacketInput!) { acceptPacket(input: $input) {"
    f" object {{ accepted packet inForce record attempts {_PROBLEMS} }} {_FAULTS} }} }}"
)
FORK_PACKET = (
    "mutation ForkPacket($input: ForkPacketInput!) { forkPacket(input: $input) {"
    f" object {{ forked mission session parent packet of text {_PROBLEMS} }} {_FAULTS} }} }}"
)
