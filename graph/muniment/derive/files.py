"""Files: what reads, writes and outside changes tell about a file's content.

* A read sets its lines in the ledger. Where it agrees with all that was known, the version stays; where it does not,
  the file changed
  outside our sight: a new version, and if its length changed too, nothing older is believed any more.
* A whole read or write gives a version of grade `lines`, named by its content: a revert gives the old version again.
* An edit replaces its lines and shifts the rest, after it succeeded. Where its place cannot be told, the ledger is
  forgotten: better to
  know nothing than something false.
* Bytes that are no text are a version of grade `bytes`; they have no lines.
* An excerpt says how its lines came to be known: shown to an agent, written by it, or only told by the harness (the
  file before an edit, what somebody else made of it): those nobody has seen.
"""

from __future__ import annotations

import msgspec

from muniment.derive import ledger, versions
from muniment.derive.builder import Builder
from muniment.derive.hunks import contradicted
from muniment.derive.paths import file_key
from muniment.derive.repeats import note_read
from muniment.derive.sessions import rules_of
from muniment.derive.state import FileState, Rooted
from muniment.derive.symbols import note_symbols
from muniment.derive.texts import line_count, split_lines
from muniment.model.edges import EdgeKind
from muniment.model.ledger import NOTHING_KNOWN, LedgerState
from muniment.model.nodes import EDITED, SHOWN, TOLD, WRITTEN, Event, Excerpt, File, FileVersion, Intervals, Receipt
from muniment.model.records import FileChange, Hunk

Teller = Receipt | Event
"""What tells of a file's content: a tool's receipt, or an event that no tool made."""


def file_for(builder: Builder, session: Rooted, path: str, cwd: str | None = None) -> FileState:
    """Return the file that `path` names in a session, new or known."""
    rules = rules_of(session)
    links = builder.state.links.get(session.workspace)
    key = file_key(path, root=session.root, cwd=cwd or session.cwd, rules=rules, links=links)
    place = f"{session.workspace}\n{key}"
    known = builder.state.files.get(place)
    if known is None:
        node = File(
            id=builder.node_id(File, place),
            ordinal=builder.ordinal,
            handle=builder.handle(File),
            record=key,
            workspace=session.workspace,
            path=path,
            key=key,
        )
        builder.add(node)
        builder.edge(EdgeKind.PART_OF, node.id, session.workspace)
        known = builder.state.files[place] = FileState(node=node.id, path=path)
    return known


def linked(builder: Builder, session: Rooted, path: str, target: str, cwd: str | None = None) -> None:
    """`path` is a link to `target`, as seen from the folder that it lies in: what is read there is the target's."""
    rules, cwd = rules_of(session), cwd or session.cwd
    links = builder.state.links.setdefault(session.workspace, {})
    folder = path.rstrip("/").rpartition("/")[0]
    base = f"{folder}/{target}" if folder and not target.startswith(("/", "~")) else target
    key = file_key(path.rstrip("/"), root=session.root, cwd=cwd, rules=rules)
    to = file_key(base, root=session.root, cwd=cwd, rules=rules)
    links.pop(key, None)
    if to != key:
        links[key] = to


def known_file_lines(builder: Builder, file: FileState) -> list[str | None]:
    """Return the current lines of a file, None where a line is not known."""
    return builder.known.of(file)


class Sight:
    """What one read showed: lines `first`.. of a file, of `total` lines where that is known.

    `how`, `cut` and `runs` as in `Excerpt`; `loose`: `total` may be one too high.
    """

    def __init__(
        self,
        content: str,
        first: int,
        total: int | None,
        *,
        how: str = SHOWN,
        cut: tuple[int, ...] = (),
        loose: bool = False,
        runs: Intervals = (),
    ) -> None:
        self.content = content
        self.lines = split_lines(content)
        self.first = first
        self.runs = runs or ((first, first + len(self.lines) - 1),)
        self.total = total
        self.how = how
        self.cut = cut
        self.loose = loose

    @property
    def last(self) -> int:
        """The last line shown."""
        return self.runs[-1][1]

    @property
    def shown_runs(self) -> Intervals:
        """Where its lines are, if they do not follow one another."""
        return self.runs if len(self.runs) > 1 else ()

    @property
    def whole(self) -> bool:
        """Whether it showed all lines of the file."""
        return len(self.runs) == 1 and self.first == 1 and self.total == len(self.lines)


def read(builder: Builder, file: FileState, sight: Sight, teller: Teller, *, role: str = "") -> None:
    """A read showed lines of a file. `role` tells reads of one receipt apart."""
    _reconcile(builder, file, sight)
    agrees = _agrees(builder, file, sight)
    version = _version_of_read(builder, file, sight, agrees=agrees)
    builder.edge(EdgeKind.READS, teller.id, version)
    excerpt = _excerpt(builder, file, teller, version, sight, role=role)
    # Where what was seen differs from what was known, somebody changed the file: lines elsewhere may have moved.
    same_length = sight.total is not None and sight.total == file.ledger.total
    before = file.ledger if agrees or same_length else NOTHING_KNOWN
    if sight.whole:
        note_symbols(builder, file, version, teller.record, sight.content)
        state = ledger.replaced(len(sight.lines), excerpt=excerpt.id, version=version)
    else:
        state = ledger.shown(before, sight.runs, excerpt=excerpt.id, total=sight.total, version=version)
    _stand(builder, file, state)
    if sight.whole:
        builder.known.keep(file, [*sight.lines])
    file.loose = sight.loose if sight.total is not None else file.loose
    note_read(builder, file, excerpt, sight.lines)


def _reconcile(builder: Builder, file: FileState, sight: Sight) -> None:
    """Make one number out of a total that is exact and one that may be one too high, where they can be the same."""
    total = file.ledger.total
    if total is None or sight.total is None or file.loose == sight.loose:
        return
    if sight.loose and sight.total in (total, total + 1):
        sight.total, sight.loose = total, False
    elif file.loose and total == sight.total + 1 and all(s.stop <= total for s in file.ledger.segments):
        _stand(builder, file, msgspec.structs.replace(file.ledger, total=sight.total))


def read_bytes(builder: Builder, file: FileState, data: bytes, teller: Teller) -> None:
    """A read gave bytes that are no text."""
    version = _observe(builder, file, "bytes", versions.bytes_digest(data), None)
    builder.edge(EdgeKind.READS, teller.id, version)
    _stand(builder, file, ledger.forgotten(file.ledger, version))


def written(builder: Builder, file: FileState, content: str, teller: Teller, *, how: str = WRITTEN) -> None:
    """The file holds `content` now; `how`: its agent gave all of it, or the harness told it."""
    version = _observe(builder, file, "lines", versions.whole_digest(content), line_count(content))
    builder.edge(EdgeKind.WRITES, teller.id, version)
    sight = Sight(content, 1, line_count(content), how=how)
    excerpt = _excerpt(builder, file, teller, version, sight)
    note_symbols(builder, file, version, teller.record, content)
    _stand(builder, file, ledger.replaced(len(sight.lines), excerpt=excerpt.id, version=version))


def changed(builder: Builder, session: Rooted, change: FileChange, teller: Teller) -> None:
    """A successful edit or patch, or somebody outside, did this to a file."""
    file = file_for(builder, session, change.path)
    if change.change == "deleted":
        gone(builder, file, teller.id)
    elif change.change == "renamed" and change.to is not None:
        target = file_for(builder, session, change.to)
        _renamed(builder, file, target, teller.id)
        file = target
    if change.before is not None and (change.hunks or change.content is not None):
        _believe_before(builder, file, change.before, teller)
    if change.hunks and not change.whole and _edited(builder, file, change, teller):
        return
    if change.content is not None:
        authored = change.whole or not (change.hunks or change.before)
        written(builder, file, change.content, teller, how=WRITTEN if authored else TOLD)
    elif change.hunks or change.change == "written":
        lost_sight(builder, file, teller.id)


def gone(builder: Builder, file: FileState, cause: str) -> None:
    """The file does not exist any more."""
    version = _observe(builder, file, "absent", versions.whole_digest(""), 0)
    builder.edge(EdgeKind.WRITES, cause, version)
    _stand(builder, file, ledger.forgotten(file.ledger, version))


def lost_sight(builder: Builder, file: FileState, cause: str) -> None:
    """The file changed, and nobody told how: nothing of it is known any more."""
    version = _observe(builder, file, "partial", versions.partial_digest(0, [cause], None), None)
    builder.edge(EdgeKind.WRITES, cause, version)
    _stand(builder, file, ledger.forgotten(file.ledger, version))


def put_in_doubt(builder: Builder, file: FileState, cause: str) -> None:
    """Something named the file as what it writes, and nothing says what came of it: nothing of it is known any more."""
    version = _observe(builder, file, "partial", versions.partial_digest(0, [cause], None), None)
    _stand(builder, file, ledger.forgotten(file.ledger, version))


def _renamed(builder: Builder, source: FileState, target: FileState, cause: str) -> None:
    state, grade, digest, version = source.ledger, source.grade, source.digest, source.ledger.version
    gone(builder, source, cause)
    target.ledger, target.grade, target.digest = state, grade, digest
    if version:
        builder.edge(EdgeKind.OBSERVED, target.node, version)
    builder.observe(target.node, state)


def _edited(builder: Builder, file: FileState, change: FileChange, teller: Teller) -> bool:
    """Apply an edit's hunks; false, and nothing done, where their place is not known or what comes out is not what the
    tool says.
    """
    before = file.ledger, file.grade, file.digest
    known = known_file_lines(builder, file)
    hunks = ledger.located(change.hunks, known)
    if hunks is not None and contradicted(hunks, known):  # somebody changed the file unseen: nothing old is believed
        file.ledger = ledger.forgotten(file.ledger, file.ledger.version)
    if hunks is None or not _fits(file.ledger, hunks):
        return False
    added = ledger.added_text(hunks)
    role = f"edit:{file.node}"
    excerpt = builder.node_id(Excerpt, teller.record, role)
    builder.state.texts[excerpt] = builder.refer(added)
    splices = ledger.splices_of(hunks, excerpt)
    whole = file.ledger.complete
    after = file.ledger = ledger.edited(file.ledger, splices, version="")
    if whole and after.complete:
        builder.known.edited(file, known, splices, split_lines(added))
    if change.content is not None and after.complete and known_file_lines(builder, file) != split_lines(change.content):
        file.ledger, file.grade, file.digest = before
        return False
    version = _version_after_edit(builder, file, hunks)
    builder.edge(EdgeKind.WRITES, teller.id, version)
    _excerpt(builder, file, teller, version, Sight(added, _first_added(hunks), None, how=EDITED), role=role)
    _stand(builder, file, LedgerState(after.segments, after.total, version, after.complete))
    return True


def _first_added(hunks: tuple[Hunk, ...]) -> int:
    """Return the line, in the new file, of the first line that the hunks add (or of the first hunk, where they add
    none).
    """
    for hunk in hunks:
        line = hunk.new_start
        for text in hunk.lines:
            if text.startswith("+"):
                return line
            line += not text.startswith("-")
    return hunks[0].new_start


def _believe_before(builder: Builder, file: FileState, before: str, teller: Teller) -> None:
    """The tool told the whole file as it was before the edit; take it where the ledger does not know it."""
    lines = split_lines(before)
    if file.ledger.complete and known_file_lines(builder, file) == lines:
        return
    version = _observe(builder, file, "lines", versions.whole_digest(before), len(lines))
    sight = Sight(before, 1, len(lines), how=TOLD)
    excerpt = _excerpt(builder, file, teller, version, sight, role=f"before:{file.node}")
    _stand(builder, file, ledger.replaced(len(lines), excerpt=excerpt.id, version=version))


def _fits(state: LedgerState, hunks: tuple[Hunk, ...]) -> bool:
    """Tell whether hunks lie inside a file of the length that is known."""
    return state.total is None or all(
        hunk.old_start - 1 + sum(line[:1] != "+" for line in hunk.lines) <= state.total for hunk in hunks
    )


def _agrees(builder: Builder, file: FileState, sight: Sight) -> bool:
    """Tell whether what was seen is what was known of these lines, as far as it was known."""
    state = file.ledger
    if state.total is not None and sight.total is not None and state.total != sight.total:
        return False
    place = 0
    for begin, last in sight.runs:
        for segment in ledger.overlapping(state.segments, begin, last + 1) if begin <= last else ():
            first, stop = max(segment.start, begin), min(segment.stop, last + 1)
            lines = builder.lines_of(segment.excerpt)
            old = lines[segment.offset + first - segment.start : segment.offset + stop - segment.start]
            start = place + first - begin
            if old != sight.lines[start : start + len(old)]:
                return False
        place += last - begin + 1
    return True


def _version_of_read(builder: Builder, file: FileState, sight: Sight, *, agrees: bool) -> str:
    if sight.whole:
        return _observe(builder, file, "lines", versions.whole_digest(sight.content), len(sight.lines))
    if agrees and file.ledger.version and file.grade != "absent":
        return file.ledger.version
    digest = versions.partial_digest(sight.first, sight.lines, sight.total, sight.runs)
    return _observe(builder, file, "partial", digest, sight.total)


def _version_after_edit(builder: Builder, file: FileState, hunks: tuple[Hunk, ...]) -> str:
    if file.ledger.complete:
        lines = known_file_lines(builder, file)
        return _observe(builder, file, "lines", versions.lines_digest(lines), len(lines))
    told = [file.digest, *(line for hunk in hunks for line in hunk.lines)]
    return _observe(builder, file, "partial", versions.partial_digest(0, told, file.ledger.total), file.ledger.total)


def version_of(
    builder: Builder, file: FileState, grade: str, digest: str, total: int | None, revision: str | None = None
) -> str:
    """Return the version of a file with this content, in the worktree or a revision; make it where it was never met."""
    role, named = f"{grade}:{digest}", digest
    if revision is not None:
        role, named = f"revision:{revision}:{role}", f"{revision}:{digest}"
    version = builder.node_id(FileVersion, file.node, role)
    if version not in file.versions:
        file.versions.add(version)
        builder.add(
            FileVersion(
                id=version,
                ordinal=builder.ordinal,
                handle=builder.handle(FileVersion),
                record=f"{file.node}:{named}",
                file=file.node,
                grade=grade,
                digest=digest,
                total_lines=total,
                binary=grade == "bytes",
                revision=revision,
            )
        )
        builder.edge(EdgeKind.VERSION_OF, version, file.node)
    return version


def _observe(builder: Builder, file: FileState, grade: str, digest: str, total: int | None) -> str:
    """Let the file stand at the version with this content; make it where it was never met."""
    version = version_of(builder, file, grade, digest, total)
    if (file.grade, file.digest) != (grade, digest):
        builder.edge(EdgeKind.OBSERVED, file.node, version)
        file.grade, file.digest = grade, digest
    return version


def _excerpt(builder: Builder, file: FileState, teller: Teller, version: str, sight: Sight, role: str = "") -> Excerpt:
    text = builder.refer(sight.content)
    node = Excerpt(
        id=builder.node_id(Excerpt, teller.record, role or f"read:{file.node}"),
        ordinal=builder.ordinal,
        handle=builder.handle(Excerpt),
        record=teller.record,
        of=version,
        receipt=teller.id,
        first=sight.first,
        last=max(sight.first, sight.last),
        text=text,
        file=file.node,
        agent=teller.agent if isinstance(teller, Receipt) else "",
        session=teller.session,
        digest=versions.partial_digest(sight.first, sight.lines, None, sight.runs),
        how=sight.how if isinstance(teller, Receipt) else TOLD,
        cut=sight.cut,
        runs=sight.shown_runs,
    )
    builder.add(node)
    builder.edge(EdgeKind.EXCERPT_OF, node.id, version)
    builder.state.texts[node.id] = text
    return node


def _stand(builder: Builder, file: FileState, state: LedgerState) -> None:
    file.ledger, file.loose = state, file.loose and state.total is not None and not state.complete
    builder.observe(file.node, state)
