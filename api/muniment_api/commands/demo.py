"""`muniment demo`: the whole way, on a bundled session.

The session is invented: a user asks for a bug fix and states a constraint once; the agent reads a file twice, runs the
tests, edits once more after the run, and says at the end that all tests pass. The command exits with 0 when the demo
worked, whatever the verdict. Its store is temporary, unless --store names a folder: MUNIMENT_STORE does not, as that is
where one's own sessions are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import msgspec
from click.core import ParameterSource

from muniment.capture.importing import ImportReport
from muniment.closeout.reports.dossier import gathered
from muniment.closeout.reports.text import text
from muniment.closeout.verdict import Closeout
from muniment.derive.collapsing import Collapse
from muniment.errors import UsageError
from muniment.model.nodes import NODE_TYPES, kind_of
from muniment.selection.view import View
from muniment.snapshot import Snapshot
from muniment.store import EvidenceStore
from muniment_api.command import command
from muniment_api.commands.view import BUDGET, summary
from muniment_api.console import Console
from muniment_api.layout import plural
from muniment_api.opening import plain

EXAMPLE = files("muniment_api") / "examples" / "bugfix"
QUOTE = "  │ "


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What the demo shows."""

    imported: ImportReport
    nodes: dict[str, int]
    edges: dict[str, int]
    repeats: list[Collapse]
    view: View
    closeout: Closeout
    verdict: str


@command("demo", examples=["muniment demo", "muniment demo --store demo && muniment explain L37 --store demo"])
@click.pass_context
def demo(ctx: click.Context) -> None:
    """Import the bundled session into a temporary store; show the graph's size, the view and the verdict.

    With --store FOLDER the store is kept there, and every other command can be tried on it: the handles in their
    examples are those of this session.
    """
    console: Console = ctx.obj
    with _place(ctx) as folder, as_file(EXAMPLE) as example:
        shown = _run(console, folder, example)
    console.result(plain(shown), _text(shown))


@contextmanager
def _place(ctx: click.Context) -> Iterator[Path]:
    """Give the folder of the demo's store.

    Raises:
        UsageError: the one that was named is there already.
    """
    console: Console = ctx.obj
    calls = (ctx, ctx.parent)
    if not any(call and call.get_parameter_source("store") is ParameterSource.COMMANDLINE for call in calls):
        with TemporaryDirectory(prefix="muniment-demo-") as folder:
            yield Path(folder) / "store"
        return
    if console.store.exists():
        raise UsageError(f"{console.store} is there already: name a new folder for the demo's store")
    yield console.store


def _run(console: Console, folder: Path, example: Path) -> Shown:
    with EvidenceStore.open(folder, create=True) as store:
        imported = store.import_session(example)
        snapshot = store.snapshot(imported.mission)
        nodes, edges = _sizes(snapshot)
        closeout = store.closeout(imported.mission)
        return Shown(
            imported=imported,
            nodes=nodes,
            edges=edges,
            repeats=store.collapse_plan(imported.mission),
            view=store.view(imported.mission, budget=BUDGET),
            closeout=closeout,
            verdict=text(gathered(snapshot, closeout), console.styled),
        )


def _sizes(snapshot: Snapshot) -> tuple[dict[str, int], dict[str, int]]:
    nodes = {kind_of(kind): len(snapshot.of_kind(kind)) for kind in NODE_TYPES}
    edges = Counter(
        edge.kind.value
        for kind in NODE_TYPES
        for node in snapshot.of_kind(kind)
        for edge in snapshot.edges_from(node.id)
    )
    return {kind: count for kind, count in nodes.items() if count}, dict(edges.most_common())


def _text(shown: Shown) -> str:
    parts = [
        "Muniment, on a small made-up session in which an agent fixes a bug.\n",
        *_import_part(shown),
        *_graph_part(shown),
        *_view_part(shown),
        *_closeout_part(shown),
        "\nYour own sessions: muniment import ~/.claude/projects   or   muniment import ~/.codex/sessions",
        "then: muniment missions · muniment view · muniment closeout · muniment packet build · muniment show ID",
        "This one, to try them on: muniment demo --store demo",
    ]
    return "\n".join(parts)


def _import_part(shown: Shown) -> list[str]:
    report = shown.imported
    return [
        "1  IMPORT  each line of the session file became an entry of the journal: hash-chained, never changed again",
        f"   {report.lines} lines = {report.parsed} parsed + {report.quarantined} quarantined"
        f" + {sum(report.ignored.values())} ignored; {report.stored} stored\n",
    ]


def _graph_part(shown: Shown) -> list[str]:
    lines = [
        "2  GRAPH   derived from the journal, and rebuilt from it whenever it is lost",
        f"   {plural(sum(shown.nodes.values()), 'node')}: {_kinds(shown.nodes)}",
        f"   {plural(sum(shown.edges.values()), 'edge')}: {_kinds(shown.edges)}",
    ]
    lines += [f"   a repeated read: {each.marker}" for each in shown.repeats]
    return [*lines, ""]


def _view_part(shown: Shown) -> list[str]:
    quoted = [f"{QUOTE}{line}".rstrip() for line in shown.view.text.splitlines()]
    return [
        "3  VIEW    what an agent needs to go on: what the user said still binds, files as they are now, what is open",
        f"   {summary(shown.view)}",
        *quoted,
        "",
    ]


def _closeout_part(shown: Shown) -> list[str]:
    return [
        "4  CLOSEOUT  what the agent claims, against what was recorded",
        "   The tests were green, but then the agent edited once more. The type check came after that edit.",
        *(f"   {line}".rstrip() for line in shown.verdict.splitlines()),
    ]


def _kinds(counts: dict[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return ", ".join(f"{count} {kind}" for kind, count in ordered)


COMMAND = demo
