"""Boundary reports: contexts before and after, what bound, what came next, scores, and what to bring back."""

from __future__ import annotations

from pathlib import Path

import pytest

from muniment.closeout.judge import judge
from muniment.handoff.after import COMMAND, FAILURE, PLAN, REREAD, Aftermath, Sign, aftermaths
from muniment.handoff.boundaries import ABSENT, BEGUN, BY_ID, QUOTED, UNKNOWN, BoundaryReport, boundary_reports
from muniment.handoff.scoring import CompactionReport, Crossed, reported, scored, targets_of
from muniment.handoff.told import report_lines
from muniment.model import records as r
from muniment.selection.held import rereads
from muniment.snapshot import Snapshot
from muniment.store import EvidenceStore
from muniment.tokens import o200k
from tests.support.graphs import SESSION, Story

TEXT = "".join(f"line {number} of the file\n" for number in range(1, 30))
LONG = "Keep the tables as they are, " + "and the columns too, " * 12


def boundary(story: Story, **fields: object) -> str:
    ident = f"b{len(story.records)}"
    return story.add(r.ContextBoundary(id=ident, by="compactor", session=SESSION, **fields))  # type: ignore[arg-type]


def reports(story: Story) -> list[BoundaryReport]:
    return boundary_reports(story.snapshot(), o200k())


def crossed(snapshot: Snapshot) -> list[Crossed]:
    told = boundary_reports(snapshot, o200k())
    after = aftermaths(snapshot, told, rereads(snapshot), judge(snapshot).claims)
    return [scored(snapshot, report, behind) for report, behind in zip(told, after, strict=True)]


def records(story: Story, nodes: tuple[str, ...]) -> list[str]:
    snapshot = story.snapshot()
    return [node.record for each in nodes if (node := snapshot.node(each)) is not None]


def test_where_the_source_names_what_left_all_else_stayed() -> None:
    story = Story()
    asked = story.say("fix it")
    gone = story.say("looking", by="agent", role="answer")
    kept = story.say("found it", by="agent", role="answer")
    boundary(story, forgotten=(gone,), text="looked around")
    (report,) = reports(story)
    assert records(story, report.before.nodes) == [asked, gone, kept]
    assert records(story, report.after.nodes) == [asked, kept]
    assert not report.after.told
    assert report.after.tokens > 0


def test_where_it_names_what_stayed_all_else_left() -> None:
    story = Story()
    story.say("fix it")
    first = story.say("one", by="agent", role="answer")
    second = story.say("two", by="agent", role="answer")
    last = story.say("three", by="agent", role="answer")
    boundary(story, segment=(first, second), preserved=(last,), tokens_before=900, tokens_after=90)
    summary = story.say("so far", by="compactor", role="summary")
    (report,) = reports(story)
    assert records(story, report.after.nodes) == [first, second, last, summary]
    assert (report.before.tokens, report.after.tokens, report.after.told) == (900, 90, True)


def test_a_second_boundary_begins_with_what_the_first_left() -> None:
    story = Story()
    kept, gone = story.say("fix it"), story.say("hm", by="agent", role="answer")
    boundary(story, forgotten=(gone,))
    said = story.say("done", by="agent", role="answer")
    boundary(story, forgotten=(said,))
    first, second = reports(story)
    assert records(story, second.before.nodes) == [kept, said]
    assert records(story, second.after.nodes) == [kept]
    assert (first.until, second.until) == (second.ordinal, story.snapshot().ordinal)


def test_another_agents_context_is_its_own() -> None:
    story = Story()
    story.say("fix it")
    child = story.say("look there", by="agent", agent="child")
    story.add(r.ContextBoundary(id="b1", by="compactor", session=SESSION, agent="child", forgotten=()))
    (report,) = reports(story)
    assert records(story, report.before.nodes) == [child]


def test_what_bound_was_kept_quoted_begun_or_is_absent() -> None:
    story = Story()
    kept, quoted, begun = story.say("Kept by id."), story.say("Never push."), story.say(LONG)
    absent = story.fact("use tabs")
    boundary(story, preserved=(kept,), text=f'The user said: "Never push."\n> {LONG[:200]}')
    (report,) = reports(story)
    how = {item.record: item.how for item in report.binding}
    assert how == {kept: BY_ID, quoted: QUOTED, begun: BEGUN, absent: ABSENT}


def test_where_only_the_provider_can_read_it_nothing_is_called_absent() -> None:
    story = Story()
    story.say("Never push.")
    boundary(story, opaque=("d" * 64,))
    assert [item.how for item in reports(story)[0].binding] == [UNKNOWN]


def test_an_open_task_binds_and_a_settled_one_does_not() -> None:
    story = Story()
    story.task("write the docs")
    story.task("fix the bug", to="settled")
    boundary(story, text="working")
    assert [item.kind for item in reports(story)[0].binding] == ["task"]


def test_what_a_packet_holds_came_over_by_id() -> None:
    story = Story()
    bound = story.say("Never push.")
    story.add(r.PacketProposed(id="p1", by="harness", session=SESSION, facts=(bound,)))
    story.add(r.PacketAccepted(id="a1", by="harness", session=SESSION, packet="p1", checked=True))
    boundary(story)
    (report,) = reports(story)
    assert [item.how for item in report.binding] == [BY_ID]
    assert report.compactor == "muniment"
    assert records(story, (report.packet,)) == ["p1"]


@pytest.mark.parametrize("fields", [{}, {"trigger": "restart"}, {"outcome": "failed", "text": "no"}])
def test_where_nothing_was_handed_over_nothing_is_scored(fields: dict[str, str]) -> None:
    story = Story()
    story.say("fix it")
    boundary(story, **fields)
    story.run("ls")
    assert [each.score for each in crossed(story.snapshot())] == [None]


def lossy() -> Story:
    """A session that does again, after its boundary, what it had done before."""
    story = Story()
    story.say("Fix it, and never push.")
    story.task("fix the parser", to="active")
    _call(story, "c1", "read", "a.py")
    story.read("a.py", TEXT)
    _ran(story, "c2", "pytest -q", "1 failed", 1)
    boundary(story, text="worked on things")
    _call(story, "c3", "read", "a.py")
    story.read("a.py", TEXT)
    _ran(story, "c4", "pytest -q", "1 failed", 1)
    story.task("Fix the  parser")
    return story


def test_what_was_done_again_is_counted_with_its_ids() -> None:
    (after,) = [each.after for each in crossed(lossy().snapshot())]
    assert (after.base, after.actions) == (2, 2)
    assert {sign.name: sign.count for sign in after.signs if sign.count} == {REREAD: 1, COMMAND: 1, FAILURE: 1, PLAN: 1}
    assert after.sign(REREAD).places == (("a.py", 1, 29),)
    assert records(lossy(), after.sign(PLAN).ids) == ["t13"]


def test_who_always_repeats_is_not_said_to_have_lost_anything() -> None:
    story = Story()
    story.say("watch it")
    for number in range(4):
        _ran(story, f"c{number}", "date", "same", 0)
    boundary(story, text='"watch it"')
    for number in range(4, 7):
        _ran(story, f"c{number}", "date", "same", 0)
    (each,) = crossed(story.snapshot())
    sign = each.after.sign(COMMAND)
    assert (sign.count, sign.base_rate, sign.excess) == (1, 75.0, 0.0)
    assert each.score == 100.0


def test_what_was_repeated_since_the_boundary_counts_once() -> None:
    story = Story()
    _ran(story, "c0", "make", "ok", 0)
    boundary(story, text="made")
    for number in range(1, 4):
        _ran(story, f"c{number}", "make", "ok", 0)
    (each,) = crossed(story.snapshot())
    assert each.after.sign(COMMAND).count == 1


def test_a_weak_transfer_names_what_to_bring_back() -> None:
    story = lossy()
    (each,) = crossed(story.snapshot())
    assert each.weak
    assert {loss.reason for loss in each.losses} >= {"binding_absent", REREAD, PLAN}
    why = {(target.why, target.path, target.lines) for target in each.targets}
    assert (REREAD, "a.py", (1, 29)) in {(w, p and Path(p).name, n) for w, p, n in why}
    assert {target.why for target in each.targets} >= {"binding_absent", PLAN, FAILURE}


def test_a_file_that_is_gone_is_not_brought_back() -> None:
    story = lossy()
    told = boundary_reports(story.snapshot(), o200k())[0]
    sign = Sign(name=REREAD, count=1, rate=1, base_count=0, base_rate=0, expected=0, places=(("gone.py", 1, 9),))
    others = [Sign(name=name, count=0, rate=0, base_count=0, base_rate=0, expected=0) for name in (PLAN, FAILURE)]
    after = Aftermath(boundary=told.id, actions=1, base=1, signs=(sign, *others))
    assert REREAD not in {target.why for target in targets_of(story.snapshot(), told, after)}


def test_scores_are_told_by_compactor_and_model_with_their_drift() -> None:
    report = reported(["m"], crossed(lossy().snapshot()))
    (transfer,) = report.transfers
    assert transfer.scores == (report.crossed[0].score,)
    assert transfer.weak == 1
    assert report.drift(transfer.model) == transfer.drift == pytest.approx(1 - transfer.mean / 100, abs=0.001)
    assert report.drift("another model") == 0.0


def test_the_report_is_shown_as_lines_a_picture_and_a_table() -> None:
    report = reported(["m"], crossed(lossy().snapshot()))
    lines = list(report_lines(report))
    assert any("weak" in line for line in lines)
    assert "never push" not in "\n".join(lines)
    assert report._repr_svg_().startswith("<svg")
    assert "binding_absent" in report._repr_html_()
    assert list(report_lines(CompactionReport(missions=(), crossed=(), transfers=()))) == [
        "no context boundary is on record"
    ]


@pytest.mark.sessions
def test_recorded_boundaries_are_reported(sessions: Path, tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "store", create=True) as store:
        claude = store.import_session(sessions / "claude-code" / "cc12-spotter-196.jsonl").mission
        hands = store.import_session(sessions / "openhands" / "oh03-v1-6e57").mission
        codex = store.import_session(sessions / "codex" / "cx02-agentv-317.jsonl").mission
        (told,) = store.boundaries(claude)
        assert (told.before.tokens, told.before.told, told.compactor) == (167_731, True, "claude-code")
        (cut,) = store.boundaries(hands)
        assert len(cut.before.nodes) - len(cut.after.nodes) == len(cut.forgotten) > 50
        assert store.boundaries(codex)[0].count(BY_ID) == 7
        report = store.compaction_report()
        assert {transfer.compactor for transfer in report.transfers} == {"claude-code", "openhands", "codex"}
        assert all(each.after.actions and each.score is not None for each in report.crossed)
        assert store.compaction_report(hands).missions == (hands,)


def _call(story: Story, ident: str, tool: str, path: str) -> None:
    story.add(r.ToolCalled(id=ident, by="agent", session=SESSION, tool=tool, name=tool, path=path))


def _ran(story: Story, ident: str, command: str, output: str, code: int) -> None:
    story.add(r.ToolCalled(id=ident, by="agent", session=SESSION, tool="command", name="Bash", command=command))
    story.add(
        r.ToolReturned(
            id=f"{ident}:result",
            by="tool",
            session=SESSION,
            call=ident,
            tool="command",
            name="Bash",
            command=command,
            output=output,
            exit_code=code,
            status="ok" if code == 0 else "failed",
        )
    )
