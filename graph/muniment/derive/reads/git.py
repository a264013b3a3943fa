"""`git`: what it shows of files. Only a plain diff against the worktree, a blame and a grep without a revision show the
worktree; all else is evidence about a revision.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from muniment.derive.reads.options import Given, given, is_known, placed
from muniment.derive.reads.searchers import grep
from muniment.derive.reads.spans import Op, Span
from muniment.derive.reads.streams import Blame, Hits, Lines, Noise, Patch, Stream, Told
from muniment.shell.scope import joined

_GLOBAL_VALUED: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"})
_DIFF_VALUED: Final = frozenset(
    {"-U", "-S", "-G", "-O", "-n", "--max-count", "--unified", "--diff-filter", "--format", "--since", "--author", "-L"}
)
_SUMMARIES: Final = (
    "--stat", "--shortstat", "--numstat", "--dirstat", "--summary", "--name-only", "--name-status", "--check",
    "--quiet", "-s", "--no-patch", "--raw", "--compact-summary",
)  # fmt: skip
_UNLIKE_LINES: Final = (
    "--word-diff", "--color-words", "-R", "-w", "--ignore-all-space", "-b", "--ignore-space-change", "--color",
    "--ignore-blank-lines", "-c", "--cc", "--ext-diff", "--textconv", "-z", "--word-diff-regex",
    "--ignore-space-at-eol",
    "--src-prefix", "--dst-prefix", "--line-prefix", "--output", "--ours", "--theirs", "--base", "-I",
)  # fmt: skip
_PATCHES: Final = ("-p", "-u", "--patch", "-L", "--unified", "-U", "--patch-with-stat")
_BLAME_VALUED: Final = frozenset({"-L", "-S", "--date", "--since", "--ignore-rev", "--contents", "--abbrev"})
_BLAME_UNLIKE: Final = (
    "-p", "--porcelain", "--line-porcelain", "-s", "-t", "--date", "--incremental", "-c", "--show-stats", "-n",
    "--show-number", "--contents", "--reverse",
)  # fmt: skip
_LOOKS_LIKE_PATH: Final = re.compile(r"[./]|\A[A-Z]+[A-Za-z]*\Z")
_REVISION: Final = re.compile(
    r"(?:HEAD|ORIG_HEAD|FETCH_HEAD|MERGE_HEAD|@|[0-9a-f]{7,40}|(?:origin|upstream)/[\w./-]+)(?:[~^][\d~^]*)?\Z"
)
TOP: Final = ":/"
"""Before a path: it counts from the top of the repository."""
_BRANCHES: Final = frozenset({"main", "master", "develop", "dev", "trunk"})


def git(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """Return what a call of git shows."""
    rest = list(words[1:])
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in _GLOBAL_VALUED and rest:
            value = rest.pop(0)
            if option == "-C":
                folder = joined(folder, value if is_known(value) else None)
            elif option in ("--git-dir", "--work-tree"):
                return (Noise(),)
    verb, arguments = (rest[0], tuple(rest[1:])) if rest else ("", ())
    if verb == "grep":
        return _grep(arguments, stdin, folder)
    rule = _VERBS.get(verb)
    if rule is not None:
        return rule(arguments, folder)
    if verb == "ls-files":
        return (Told(family="list", paths=(placed(folder, "."),)),)
    return (Noise(),)


def _show(arguments: tuple[str, ...], folder: str | None) -> Stream:
    told = given(arguments, _DIFF_VALUED)
    blobs = [word for word in told.operands if ":" in word and not word.startswith(":/")]
    if blobs and len(blobs) == len(told.operands):
        return tuple(_blob(word, folder) for word in blobs)
    revisions, paths = _split(arguments, told, folder)
    revision = revisions[0] if revisions else "HEAD"
    if told.has(*_SUMMARIES):
        return (Told(family="metadata", paths=paths, revision=revision),)
    return (_patch(told, paths, folder, revision=revision, plain=len(revisions) <= 1),)


def _blob(word: str, folder: str | None) -> Lines | Noise:
    """`REV:path`: a path from the top of the repository, `REV:./path` from here; the index is a revision too."""
    revision, _, path = word.partition(":")
    if revision.isdigit():
        revision = f":{revision}"
    if not is_known(path) or not is_known(revision or "index"):
        return Noise(paths=(path,), revision=revision)
    # A path without `./` counts from the top: the folder that a `cd` went to, or that of the workspace, as far as
    # anybody can tell.
    here = path.startswith(".") or (folder or "").startswith("/")
    place = placed(folder, path) if here else f"{TOP}{path}"
    return Lines(path=place, revision=revision or "index", of="git")


def _diff(arguments: tuple[str, ...], folder: str | None) -> Stream:
    told = given(arguments, _DIFF_VALUED)
    revisions, paths = _split(arguments, told, folder)
    cached = told.has("--cached", "--staged")
    two = len(revisions) > 1 or any(".." in revision for revision in revisions)
    revision = (revisions[-1].rpartition("..")[2] or "HEAD") if two else "index" if cached else None
    if told.has("--no-index"):
        return (Told(family="diff", paths=tuple(placed(folder, word) for word in told.operands)),)
    if told.has(*_SUMMARIES) and not told.has("-p", "--patch"):
        return (Told(family="metadata", paths=paths, revision=revision),)
    return (_patch(told, paths, folder, revision=revision, plain=True),)


def _log(arguments: tuple[str, ...], folder: str | None) -> Stream:
    told = given(arguments, _DIFF_VALUED)
    revisions, paths = _split(arguments, told, folder)
    if not told.has(*_PATCHES) or told.has("--stat", "--name-only", "--name-status", "--oneline", "--graph"):
        return (Told(family="metadata", paths=paths, revision=revisions[-1] if revisions else "HEAD"),)
    return (_patch(told, paths, folder, revision="", plain=False),)


def _cat_file(arguments: tuple[str, ...], folder: str | None) -> Stream:
    told = given(arguments, frozenset())
    if told.has("-p") and told.operands and ":" in told.operands[0]:
        return (_blob(told.operands[0], folder),)
    if told.operands[:1] == ("blob",) and len(told.operands) > 1 and ":" in told.operands[1]:
        return (_blob(told.operands[1], folder),)
    return (Noise(),)


def _blame(arguments: tuple[str, ...], folder: str | None) -> Stream:
    told = given(arguments, _BLAME_VALUED)
    operands = tuple(word for word in told.operands if word != "--")
    revisions, paths = operands[:-1], tuple(placed(folder, word) for word in operands[-1:])
    if len(paths) != 1 or not is_known(paths[0]) or told.has(*_BLAME_UNLIKE):
        return (Noise(paths=paths, revision=revisions[0] if revisions else None),)
    ranges = [_blame_range(text) for text in told.values("-L")]
    spans = tuple(span for span in ranges if span is not None)
    ops = (Op("keep", spans),) if spans and len(spans) == len(ranges) else ((Op("some"),) if ranges else ())
    return (Blame(path=paths[0], ops=ops, revision=revisions[0] if revisions else None),)


def _blame_range(text: str) -> Span | None:
    match = re.fullmatch(r"(\d+)(?:,([+-]?\d+)?)?", text)
    if match is None:
        return None
    first, last = int(match[1]), match[2]
    if last is None:
        return Span(first, None)
    if last.startswith("+"):
        return Span(first, first + int(last) - 1)
    return Span(max(first + int(last) + 1, 1), first) if last.startswith("-") else Span(first, int(last))


def _grep(arguments: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    before, dashes = arguments, False
    after: tuple[str, ...] = ()
    if "--" in arguments:
        at = arguments.index("--")
        before, dashes, after = arguments[:at], True, arguments[at + 1 :]
    cached = "--cached" in before or "--no-index" in before
    found = grep(("grep", *before), None, folder)
    part = found[0] if found else Noise()
    if not isinstance(part, Hits | Told):
        part = grep(("grep", "-r", *before), stdin, folder)[0]
    revisions = tuple(place for place in part.paths if dashes) if isinstance(part, Told) else ()
    if isinstance(part, Hits):
        revisions = tuple(place for place in part.places if place != "." and (dashes or _REVISION.match(place)))
    places = tuple(placed(folder, word) for word in after) or (placed(folder, "."),)
    revision = revisions[0] if revisions else "index" if cached else None
    if isinstance(part, Told):
        return (msgspec.structs.replace(part, paths=places, revision=revision),)
    if not isinstance(part, Hits):
        return (Noise(paths=places, revision=revision),)
    if not dashes and not revisions:
        places = part.places
    return (
        msgspec.structs.replace(
            part, places=places, single=False, revision=revision, of="git", whole=part.whole and "-h" not in before
        ),
    )


def _patch(told: Given, paths: tuple[str, ...], folder: str | None, *, revision: str | None, plain: bool) -> Patch:
    return Patch(
        named=paths,
        revision=revision,
        folder=folder,
        relative=told.has("--relative"),
        prefixed=not told.has("--no-prefix"),
        plain=plain and not told.has(*_UNLIKE_LINES),
    )


def _split(arguments: tuple[str, ...], told: Given, folder: str | None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the revisions and the paths among operands: behind `--` paths, else by their look."""
    if "--" in arguments:
        before = given(arguments[: arguments.index("--")], _DIFF_VALUED | _BLAME_VALUED).operands
        after = arguments[arguments.index("--") + 1 :]
        return before, tuple(placed(folder, word) for word in after)
    revisions: list[str] = []
    paths: list[str] = []
    for word in told.operands:
        is_revision = ".." in word or _REVISION.match(word) or word in _BRANCHES or not _LOOKS_LIKE_PATH.search(word)
        if is_revision and not paths and not word.startswith("../"):
            revisions.append(word)
        else:
            paths.append(placed(folder, word))
    return tuple(revisions), tuple(paths)


_VERBS: Final = {
    "show": _show,
    "diff": _diff,
    "log": _log,
    "blame": _blame,
    "annotate": _blame,
    "cat-file": _cat_file,
    "whatchanged": _log,
}
