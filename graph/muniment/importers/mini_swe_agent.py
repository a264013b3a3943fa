"""The trajectories of mini-swe-agent (`*.traj.json`), 1.x and 2.x: one document with the chat's messages.

* Each message is an entry. The head has the settings: model, working directory, templates.
* Who says what: `system` is the harness's; the first `user` message is made of a template, of which what stands for
  the task is the user's and the rest the harness's; every other `user` message is the harness's: an observation where
  it answers a command, else a notice.
* Each command runs in a shell of its own in the working directory. Its output is what the model saw: where the
  observation left out the middle, so does the record.
* A format error refuses the calls of the message before it. The `exit` message is the result of the command that
  submitted.
* A session is named by the model's first response: two runs of one instance differ, and the name does not hang on what
  stands behind the messages (a cut document is the same session).
"""

from __future__ import annotations

import msgspec

from muniment.importers.clocks import iso_of
from muniment.importers.lenient import integer, mapping, objects, storable, string
from muniment.importers.mini_swe_agent_actions import OBSERVATION, actions_of, outcome_of, submits
from muniment.importers.plain_records import OpenCall, Outcome, Spot, called, returned, said, used
from muniment.importers.protocol import SourceLine
from muniment.importers.templates import Template
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import ArtifactProduced, ModelChanged, Record, SessionClosed, SessionOpened

_HEAD = "document"
_ACTORS = {"system": "harness", "assistant": "agent", "tool": "tool", "exit": "harness"}


class MiniState(msgspec.Struct):
    """What is remembered between messages."""

    opened: bool = False
    prompted: bool = False
    cwd: str | None = None
    model: str | None = None
    template: str = ""
    turn: int = 0
    calls: list[OpenCall] = []


class MiniReader:
    """Reads the parts of one trajectory, in order."""

    def __init__(self, file_name: str) -> None:
        self._name = file_name
        self._session = ""
        self._users = 0

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where a message belongs; never raises."""
        role = string(body, "role")
        root = None
        if _HEAD in body:
            head = mapping(body, _HEAD)
            root = string(mapping(_config(head), "environment"), "cwd") or None
            return SourceLine(
                session="", stream="", source_id=None, kind=_HEAD, ignored=False, actor="harness", root=root
            )
        if role == "assistant" and not self._session:
            first = string(mapping(mapping(body, "extra"), "response"), "id")
            self._session = first or self._name
        self._users += role == "user"
        actor = "user" if role == "user" and self._users == 1 else _ACTORS.get(role, "harness")
        return SourceLine(
            session=self._session, stream="", source_id=None, kind=role or "unknown", ignored=not role, actor=actor
        )


class MiniNormaliser:
    """Turns the parts of one trajectory into records."""

    def __init__(self, state: MiniState) -> None:
        self.state = state

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one part; what it cannot read it leaves out."""
        body = storable(entry.body)
        if not isinstance(body, dict):
            return []
        if _HEAD in body:
            return self._head(Spot(entry), mapping(body, _HEAD))
        spot = Spot(entry, iso_of(mapping(body, "extra").get("timestamp")))
        role = string(body, "role")
        if role == "assistant":
            return self._assistant(spot, body)
        if role == "exit":
            return self._exit(spot, body)
        text = _text(body)
        if role == "system":
            return [*said(spot, spot.ident("message"), text, by="harness", role="instructions")]
        return self._answer(spot, body, text) if role in ("user", "tool") else []

    def _head(self, spot: Spot, head: JSON_OBJECT) -> list[Record]:
        if self.state.opened:
            return []
        config = _config(head)
        self.state.opened = True
        self.state.cwd = string(mapping(config, "environment"), "cwd") or None
        self.state.template = string(mapping(config, "agent"), "instance_template")
        model = string(mapping(config, "model"), "model_name")
        self.state.model = model.rsplit("/", 1)[-1] or None
        return [
            SessionOpened(
                id=spot.ident("opened"),
                by="harness",
                **spot.place,
                root=self.state.cwd,
                model=self.state.model,
                version=string(mapping(head, "info"), "mini_version") or None,
            )
        ]

    def _assistant(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        self.state.turn += 1
        spot = Spot(spot.entry, spot.clock, f"{spot.entry.session}:turn:{self.state.turn}")
        actions = actions_of(body)
        final = any(submits(command) for _, command in actions)
        found: list[Record] = [*self._model(spot, body)]
        found += said(spot, spot.ident("thinking"), string(body, "reasoning_content"), by="agent", role="thinking")
        found += said(spot, spot.ident("message"), _text(body), by="agent", role="answer", final=final)
        self.state.calls = []
        for place, (ident, command) in enumerate(actions):
            call = OpenCall(
                ident=ident or spot.ident(f"call:{place}"),
                name="bash",
                tool="command",
                command=command,
                cwd=self.state.cwd,
                turn=spot.turn,
            )
            self.state.calls.append(call)
            found.append(called(spot, call))
        return found + self._usage(spot, body)

    def _model(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        model = string(mapping(mapping(body, "extra"), "response"), "model").rsplit("/", 1)[-1]
        before, self.state.model = self.state.model, model or self.state.model
        if not model or before in (None, model):
            return []
        return [ModelChanged(id=spot.ident("model"), by="harness", to=model, source=before, **spot.place)]

    def _usage(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        usage = mapping(mapping(mapping(body, "extra"), "response"), "usage")
        read = integer(mapping(usage, "prompt_tokens_details"), "cached_tokens") or 0
        given, output = integer(usage, "prompt_tokens") or 0, integer(usage, "completion_tokens") or 0
        return [*used(spot, self.state.model, given=given, output=output, read=read)]

    def _answer(self, spot: Spot, body: JSON_OBJECT, text: str) -> list[Record]:
        extra = mapping(body, "extra")
        if self.state.calls and (body.get("role") == "tool" or "returncode" in extra or OBSERVATION.match(text)):
            call = self._answered(string(body, "tool_call_id"))
            return [returned(spot, call, outcome_of(text, extra))]
        if not self.state.prompted:
            self.state.prompted = True
            return self._prompt(spot, text)
        found: list[Record] = []
        if self.state.calls:  # nothing of the message before was run
            refused = Outcome(output=text, status="refused", effect="none")
            found += [returned(spot, call, refused, by="harness") for call in self.state.calls]
            self.state.calls = []
        return [*found, *said(spot, spot.ident("message"), text, by="harness", role="notice")]

    def _answered(self, ident: str) -> OpenCall:
        """Return, and forget, the call that a result names, or the oldest one."""
        calls = self.state.calls
        place = next((place for place, call in enumerate(calls) if call.ident == ident), 0)
        return calls.pop(place)

    def _prompt(self, spot: Spot, text: str) -> list[Record]:
        before, task, behind = Template(self.state.template).divide(text)
        found: list[Record] = [*said(spot, spot.ident("before"), before, by="harness", role="instructions")]
        found += said(spot, spot.ident("message"), task, by="user", role="prompt")
        return [*found, *said(spot, spot.ident("behind"), behind, by="harness", role="instructions")]

    def _exit(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        extra = mapping(body, "extra")
        status, submission = string(extra, "exit_status"), string(extra, "submission")
        found: list[Record] = []
        if status == "Submitted":
            done = Outcome(output=submission, exit_code=0, status="ok")  # it submits only where the command succeeded
            found += [returned(spot, call, done) for call in self.state.calls if submits(call.command or "")]
            self.state.calls = []
        else:
            text = "\n".join(part for part in (status, _text(body)) if part)
            found += said(spot, spot.ident("message"), text, by="harness", role="notice")
        if submission.strip():
            ident = spot.ident("submission")
            found.append(
                ArtifactProduced(id=ident, by="harness", path="submission.patch", content=submission, **spot.place)
            )
        return [*found, SessionClosed(id=spot.ident("closed"), by="harness", **spot.place)]


class MiniFormat:
    """Trajectories of mini-swe-agent."""

    name = "mini-swe-agent/1"
    title = "mini-swe-agent trajectory"
    short = "mini-swe-agent"
    runtime = "mini-swe-agent"
    lists: tuple[str, ...] = ("messages",)
    last: tuple[str, ...] = ()
    revisable = False

    def sniff_document(self, document: JSON_OBJECT) -> bool:
        """Tell whether a document names the format, or has messages with its actions."""
        if string(document, "trajectory_format").startswith("mini-swe-agent"):
            return True
        if "mini_version" in mapping(document, "info"):
            return True
        return any("actions" in mapping(message, "extra") for message in objects(document, "messages")[:20])

    def reader(self, file_name: str) -> MiniReader:
        """Return a reader for a file of that name."""
        return MiniReader(file_name)

    def normaliser(self, state: bytes | None) -> MiniNormaliser:
        """Return a normaliser, new or from the bytes of an earlier state."""
        return MiniNormaliser(MiniState() if state is None else msgspec.msgpack.decode(state, type=MiniState))


MINI_SWE_AGENT = MiniFormat()


def _config(head: JSON_OBJECT) -> JSON_OBJECT:
    return mapping(mapping(head, "info"), "config")


def _text(body: JSON_OBJECT) -> str:
    parts = [string(part, "text") for part in objects(body, "content")]
    return string(body, "content") or "\n".join(part for part in parts if part)
