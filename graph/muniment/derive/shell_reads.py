"""Shell commands and files: what an output showed of files, and what was written that stands in the command itself.

* Only a command that succeeded tells (or whose last search found nothing); what it shows is a read like any other.
* Lines of a revision are evidence about that revision: a version and an excerpt, never the ledger of the worktree.
* A read counts only if no step of the same command that may change files came after it, or is the same pipe.
* A here-document, or an `echo`, that goes into a file is a write of that text; a file that was removed is gone.
"""

from __future__ import annotations

from typing import Final

from muniment.derive import files, versions
from muniment.derive.builder import Builder
from muniment.derive.effect_tables import NONE, OUTSIDE_ONLY
from muniment.derive.effects import effect_of_simple
from muniment.derive.paths import file_key
from muniment.derive.read_intents import place_of
from muniment.derive.reads.evaluate import Shown, Told, evaluated
from muniment.derive.reads.git import TOP
from muniment.derive.reads.layout import Known
from muniment.derive.reads.options import is_known
from muniment.derive.reads.output import Sighting, sightings
from muniment.derive.reads.script import Command, Step, steps_of
from muniment.derive.reads.streams import Blame, Hits, Lines, Patch
from muniment.derive.reads.streams import Told as OnlyTold
from muniment.derive.sessions import rules_of
from muniment.derive.state import FileState, Rooted
from muniment.derive.tree_changes import note_tree_changes
from muniment.model.edges import EdgeKind
from muniment.model.nodes import Excerpt, Receipt
from muniment.model.records import ToolReturned
from muniment.shell.simple import Simple

MOST_RUNS: Final = 200
"""Runs of lines that one command tells; a search with more hits is a list, not a read."""
_RAW_FORMATS: Final = ("codex", "mini-swe-agent")
"""Runtimes that record an output as it came, whatever it ends with."""
_NOTHING_FOUND: Final = 1


def told_by_command(
    builder: Builder, session: Rooted, record: ToolReturned, receipt: Receipt, command: str | None
) -> None:
    """Take from a command's receipt what it tells of files."""
    if command is None or receipt.tool != "command" or (record.extra is not None and "polled" in record.extra):
        return
    if receipt.status != "refused":
        note_tree_changes(builder, session, receipt, command, record.output or "")
    told = evaluated(command)
    if told is None:
        return
    quiet = _quiet_from(command, session.root) if receipt.effect != "none" else 0
    shown = _to_believe(told, receipt)
    if shown and record.output:
        _note_shown(builder, session, record, receipt, (shown, quiet))
    if receipt.status == "ok" and told.written:
        _note_written(builder, session, record, receipt, told)


def _to_believe(told: Told, receipt: Receipt) -> tuple[Shown, ...]:
    """Return the parts that an output can be compared with; none where the command did not succeed."""
    if not any(isinstance(each.part, Lines | Hits | Patch | Blame) for each in told.shown):
        return ()
    if receipt.status == "ok":
        return told.shown
    last = told.shown[-1].part
    searches = isinstance(last, Hits) or (isinstance(last, OnlyTold) and last.family in ("search", "diff"))
    if receipt.status == "failed" and receipt.exit_code == _NOTHING_FOUND and searches:
        return tuple(Shown(part=each.part, run=False, sure=False, step=each.step) for each in told.shown)
    return ()


def _quiet_from(command: str, root: str | None) -> int:
    """Return the number of the first step behind all that may change files."""
    steps = steps_of(command) or ()
    return max((place + 1 for place, step in enumerate(steps) if _may_change(step, root)), default=0)


def _may_change(step: Step, root: str | None) -> bool:
    return any(_command_may_change(command, root) for command in step.commands)


def _command_may_change(command: Command, root: str | None) -> bool:
    if any(_may_change(step, root) for step in command.inner):
        return True
    simple = Simple(words=command.words, into=(command.into,) if command.into else (), fed_text=command.fed)
    return effect_of_simple(simple, root) not in (NONE, OUTSIDE_ONLY)


def _note_shown(
    builder: Builder, session: Rooted, record: ToolReturned, receipt: Receipt, believed: tuple[tuple[Shown, ...], int]
) -> None:
    shown, quiet = believed
    cwd = record.cwd or session.cwd
    # Only a transcript's own format says whether texts are as they came.
    raw = builder.state.format.startswith(_RAW_FORMATS)

    def known(path: str) -> Known | None:
        file = _known_file(builder, session, place_of(path, cwd), cwd)
        return None if file is None else Known(files.known_file_lines(builder, file), file.ledger.total)

    found = sightings(shown, record.output or "", known, raw=raw)
    if len(found) > MOST_RUNS:
        return
    for place, sighted in enumerate(_together(found)):
        first = sighted[0]
        part = shown[first.part].part
        if shown[first.part].step < quiet:
            continue
        path = _patch_path(builder, session, part, first.path, cwd) if isinstance(part, Patch) else first.path
        if path is None or not is_known(path):
            continue
        base = session.root if path.startswith(TOP) else cwd
        file = files.file_for(builder, session, path.removeprefix(TOP), base)
        sight = _sight(sighted)
        if first.revision is not None:
            _note_revision(builder, file, sight, receipt, (first.revision, place))
        else:
            files.read(builder, file, sight, receipt, role=f"read:{file.node}:{place}")


def _together(found: list[Sighting]) -> list[list[Sighting]]:
    """Group what a search, or a patch, shows of one file: it is one sight. Ranges that somebody asked for are one each,
    and so is what comes again further up, as a file does in the patches of several commits.
    """
    groups: list[list[Sighting]] = []
    newest: dict[tuple[int, str, str | None], list[Sighting]] = {}
    for each in found:
        key = (each.part, each.path, each.revision)
        group = newest.get(key)
        if group is None or each.of == "lines" or each.first < group[-1].first + len(group[-1].lines):
            group = newest[key] = []
            groups.append(group)
        group.append(each)
    return groups


def _sight(sighted: list[Sighting]) -> files.Sight:
    text = "".join([f"{line}\n" for each in sighted for line in each.lines])
    runs = tuple((each.first, each.first + len(each.lines) - 1) for each in sighted)
    return files.Sight(text, sighted[0].first, sighted[0].total, runs=runs)


def _note_revision(
    builder: Builder, file: FileState, sight: files.Sight, receipt: Receipt, at: tuple[str, int]
) -> None:
    """Lines of a file as a revision has it: known of that revision, and of nothing else."""
    revision, place = at
    digest = versions.partial_digest(sight.first, sight.lines, sight.total, sight.runs)
    grade, digest = ("lines", versions.whole_digest(sight.content)) if sight.whole else ("partial", digest)
    version = files.version_of(builder, file, grade, digest, sight.total, revision)
    builder.edge(EdgeKind.READS, receipt.id, version)
    excerpt = Excerpt(
        id=builder.node_id(Excerpt, receipt.record, f"revision:{file.node}:{place}"),
        ordinal=builder.ordinal,
        handle=builder.handle(Excerpt),
        record=receipt.record,
        of=version,
        receipt=receipt.id,
        first=sight.first,
        last=sight.last,
        text=builder.refer(sight.content),
        agent=receipt.agent,
        session=receipt.session,
        digest=versions.partial_digest(sight.first, sight.lines, None, sight.runs),
        runs=sight.shown_runs,
    )
    builder.add(excerpt)
    builder.edge(EdgeKind.EXCERPT_OF, excerpt.id, version)


def _note_written(builder: Builder, session: Rooted, record: ToolReturned, receipt: Receipt, told: Told) -> None:
    """Take the texts that a command put into files; a later step that may change them takes that back."""
    quiet = _quiet_from(record.command or "", session.root)
    for each in told.written:
        if not each.sure or each.step + 1 < quiet:
            continue
        file = files.file_for(builder, session, each.path, record.cwd or session.cwd)
        text = "".join(f"{line}\n" for line in each.lines)
        if not each.appends:
            files.written(builder, file, text, receipt)


def _patch_path(builder: Builder, session: Rooted, part: Patch, path: str, cwd: str | None) -> str | None:
    """Return the place of a path that counts from the top of a repository; None where nobody knows the top.

    The paths that the command named tell it: they end as those of the patch. Else it is the folder of the workspace, if
    the file is known there.
    """
    if part.relative:
        return place_of(path, place_of(part.folder or ".", cwd))
    pieces = path.split("/")
    for named in part.named:
        whole = place_of(named, cwd).rstrip("/")
        for length in range(len(pieces), 0, -1):
            ending = "/".join(pieces[:length])
            if whole == ending or whole.endswith(f"/{ending}"):
                return f"{whole[: len(whole) - len(ending)]}{path}"
    if part.named or part.folder is not None or session.root is None:
        return None
    place = f"{session.root}/{path}"
    return place if _known_file(builder, session, place, None) is not None else None


def _known_file(builder: Builder, session: Rooted, path: str, cwd: str | None) -> FileState | None:
    key = file_key(path, root=session.root, cwd=cwd, rules=rules_of(session))
    return builder.state.files.get(f"{session.workspace}\n{key}")
