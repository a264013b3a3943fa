"""Searches: rg, grep, ag, ack and git grep. What they print with numbers tells lines, the rest only where they looked.

* Lines count only where numbers were asked for: without, nobody knows where they stand.
* `-o`, `-r`, `--trim` and their like print something else than lines; `-l`, `-c`, `-q` print no content.
* A search of what it is piped (`cat f | grep -n x`) has the numbers of that stream.
"""

from __future__ import annotations

from typing import Final

from muniment.derive.reads.options import Given, given, is_known, names, placed
from muniment.derive.reads.spans import SOME
from muniment.derive.reads.streams import Hits, Lines, Noise, Stream, Told, blurred, selected

_GREP_VALUED: Final = names(
    """-A -B -C -m -e -f -d -D --after-context --before-context --context --max-count --regexp --file
    --include
    --exclude
    --exclude-dir --directories --devices --binary-files --label"""
)
_RG_VALUED: Final = names(
    """-A -B -C -m -e -f -g -t -T -M -j -d -r -E --after-context --before-context --context --max-count --regexp
    --file
    --glob --iglob --type --type-not --max-columns --threads --max-depth --maxdepth --replace --encoding --sort --sortr
    --colors --context-separator --type-add --max-filesize --engine --field-match-separator --field-context-separator
    --ignore-file --pre --path-separator --dfa-size-limit --regex-size-limit"""
)
_AG_VALUED: Final = names("-A -B -C -m -G -p --after --before --context --ignore --depth --max-count")
_NO_CONTENT: Final = (
    "-l", "-L", "-c", "-q", "--files-with-matches", "--files-without-match", "--count", "--quiet", "--silent",
    "--count-matches", "--files", "--json", "--type-list", "--stats", "--name-only",
)  # fmt: skip
_ALTERED: Final = (
    "-o", "--only-matching", "-b", "--byte-offset", "--initial-tab", "--max-columns-preview",
    "-Z", "--null", "-0", "-z", "--null-data",
    "--trim", "--replace", "--passthru", "-p", "--pretty", "--field-match-separator", "--field-context-separator",
    "--context-separator", "--show-function", "-W", "--function-context",
)  # fmt: skip
_QUIET: Final = ("-q", "--quiet", "--silent")


def grep(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """`grep` and its kin."""
    told = given(words[1:], _GREP_VALUED, numbers=True)
    pattern, places = _pattern(told)
    recursive = told.has("-r", "-R", "--recursive", "--dereference-recursive")
    named = told.has("-H", "--with-filename") or recursive or len(places) > 1
    bare = told.has("-h", "--no-filename")
    return _search(
        told, pattern, places or (("." if recursive else "-"),), stdin, folder,
        single=not named or (bare and not recursive and len(places) == 1), unnamed=bare and len(places) > 1, of="grep",
    )  # fmt: skip


def ripgrep(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """`rg`: looks into what it is piped, else into the folder that it runs in."""
    told = given(words[1:], _RG_VALUED)
    pattern, places = _pattern(told, none=told.has("--files", "--type-list"))
    if told.has("--files"):
        return (Told(family="list", paths=tuple(placed(folder, place) for place in places or (".",))),)
    bare = told.has("-I", "--no-filename")
    single = len(places) == 1 and not told.has("-H", "--with-filename")
    looks = places or (("-",) if stdin is not None else (".",))
    return _search(
        told, pattern, looks, stdin, folder, single=single or looks == ("-",), unnamed=bare and looks != ("-",), of="rg"
    )


def silver(words: tuple[str, ...], stdin: Stream | None, folder: str | None) -> Stream:
    """`ag`, `ack`: numbers are printed without being asked for."""
    told = given((*words[1:], "-n"), _AG_VALUED)
    pattern, places = _pattern(told)
    looks = places or (("-",) if stdin is not None else (".",))
    return _search(told, pattern, looks, stdin, folder, single=len(looks) == 1, unnamed=told.has("-h"), of=words[0])


def _pattern(told: Given, *, none: bool = False) -> tuple[str | None, tuple[str, ...]]:
    if none or told.has("-e", "--regexp", "-f", "--file"):
        return told.value("-e", "--regexp"), told.operands
    return (told.operands[0], told.operands[1:]) if told.operands else (None, ())


def _search(
    told: Given, pattern: str | None, places: tuple[str, ...], stdin: Stream | None, folder: str | None,
    *, single: bool, unnamed: bool, of: str,
) -> Stream:  # fmt: skip
    numbered = told.has("-n", "--line-number", "--vimgrep", "--column") and not told.has("-N", "--no-line-number")
    if places == ("-",):
        return _of_stream(stdin, told, pattern, numbered=numbered, of=of)
    looks = tuple(placed(folder, place) for place in places)
    if told.has(*_NO_CONTENT):
        return (Told(family="search", paths=looks, pattern=pattern, silent=told.has(*_QUIET)),)
    columns = told.has("--column", "--vimgrep")
    own = ("-r", "-E") if of == "rg" else ("-T",)
    altered = told.has(*_ALTERED, *own) or _coloured(told) or "-" in places
    return (
        Hits(
            places=looks,
            pattern=pattern,
            single=single and not told.has("--vimgrep"),
            numbered=numbered and not unnamed,
            whole=not altered,
            heading=told.has("--heading"),
            extra=1 if columns else 0,
            folder=folder,
            of=of,
        ),
    )


def _coloured(told: Given) -> bool:
    return (told.value("--color", "--colour") or "never") in ("always", "ansi")


def _of_stream(stdin: Stream | None, told: Given, pattern: str | None, *, numbered: bool, of: str) -> Stream:
    if stdin is None:
        return (Noise(),)
    if told.has(*_NO_CONTENT):
        return (Told(family="search", paths=_known(stdin), pattern=pattern, silent=told.has(*_QUIET)),)
    if told.has(*_ALTERED) or _coloured(told):
        return blurred(stdin)
    part = stdin[0] if len(stdin) == 1 else None
    if not numbered:
        around = told.has("-A", "-B", "-C", "--context", "--after-context", "--before-context")
        if around and isinstance(part, Lines):
            return (Hits(places=(part.path,), pattern=pattern, single=True, numbered=False, revision=part.revision),)
        return blurred(stdin) if around and not isinstance(part, Hits) else selected(stdin, SOME)
    if not isinstance(part, Lines) or any(op.kind in ("number", "strip", "some", "reverse") for op in part.ops):
        return blurred(stdin)
    return (
        Hits(
            places=(part.path,), pattern=pattern, single=True, ops=part.ops, revision=part.revision,
            extra=1 if told.has("--column") else 0, of=of,
        ),
    )  # fmt: skip


def _known(stdin: Stream) -> tuple[str, ...]:
    return tuple(part.path for part in stdin if isinstance(part, Lines) and is_known(part.path))
