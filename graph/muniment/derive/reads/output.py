"""Outputs: which lines of which file a command's output shows, as far as it can be known.

* Only a part whose beginning is certain (`layout`) tells anything.
* A file whose last line has no end runs into what follows. So lines without numbers count only where nothing follows,
  or what follows shows that it began a line of its own, or both are as long as they can be.
* Where the output does not end with a newline, whoever recorded it may have taken empty lines off both ends: then only
  lines that are as many as they can be count, or those that what is known of the file confirms.
* Words of the programs themselves (`cat: x: No such file`), marks of omission and colours spoil the lines around them.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from muniment.derive.reads.evaluate import Shown
from muniment.derive.reads.hits import blame_run, hit_run, patch_run
from muniment.derive.reads.layout import KnownOf, Page, bounds_of, gutter_of, loosened, numbered_run
from muniment.derive.reads.options import placed
from muniment.derive.reads.spans import FAR, Op, count, fit, from_the_start, kept, most
from muniment.derive.reads.streams import Blame, Hits, Lines, Literal, Noise, Patch, Told

CONFIRMING: Final = 3
"""Lines, not empty, that must be known and equal before what is known of a file confirms a place."""
_OMITTED: Final = re.compile(
    r"…\s?\d+ (?:tokens|chars|bytes|lines) truncated\s?…|\[\.\.\. (?:omitted|output truncated|\d+ lines? truncated)"
    r"|\.\.\. ?\[\d+ (?:lines|characters) (?:truncated|omitted|elided)|<response clipped>|\[output truncated|"
    r"<output_(?:head|tail)>|elided_chars|characters elided|\[truncated|Observation truncated due to length|"
    r"Output too large to read at once"
)

_OMITTING: Final = ("truncated", "omitted", "clipped", "elided", "<output_", "too large to read")
"""Words of which each mark of omission holds one: a text is searched for them much sooner."""


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """Lines `first`.. of a file that an output showed. `total` is the file's length, where the output tells it."""

    path: str
    first: int
    lines: tuple[str, ...]
    total: int | None = None
    revision: str | None = None
    part: int = 0
    of: str = "lines"


def sightings(shown: tuple[Shown, ...], output: str, known: KnownOf, *, raw: bool) -> list[Sighting]:
    """Return what an output shows of files. `raw`: nothing was taken off its ends, whatever it ends with."""
    lines = output.split("\n")
    ended = lines[-1] == ""
    if ended:
        lines.pop()
    told = lines if any(word in output for word in _OMITTING) and _OMITTED.search(output) else ()
    omitted = next((place for place, line in enumerate(told) if _OMITTED.search(line)), None)
    cut = omitted is not None
    lines = lines[:omitted] if cut else lines
    if cut and lines[-1:] == [""]:
        lines.pop()
    if not lines or not shown:
        return []
    page = Page(lines, begins=raw or ended, ends=(raw or ended) and not cut, known=known)
    bounds = bounds_of(page, tuple(loosened(each) for each in shown) if cut else shown)
    if bounds is None:
        return []
    found: list[Sighting] = []
    for place in range(len(shown)):
        start, stop = bounds[place], bounds[place + 1]
        if len(start) == 1:
            found += _sighted(page, shown, place, (start[0], stop[0] if len(stop) == 1 else None), bounds)
    return found


def _sighted(
    page: Page, shown: tuple[Shown, ...], place: int, at: tuple[int, int | None], bounds: list[list[int]]
) -> list[Sighting]:
    part, (start, stop) = shown[place].part, at
    if isinstance(part, Hits) and part.numbered and part.whole:
        return _of_hits(page, part, (start, _surely(shown, place, bounds)), place)
    if isinstance(part, Patch) and part.plain:
        return _of_patch(page, part, start, place)
    if isinstance(part, Blame):
        runs = _runs(blame_run(page.lines, start))
        return [Sighting(path=part.path, first=f, lines=tuple(t), revision=part.revision, part=place) for f, t in runs]
    if not isinstance(part, Lines) or stop is None or stop <= start:
        return []
    if gutter_of(part.ops):
        return _of_numbered(page, part, (start, stop), place)
    if page.spoken or not page.clean(start, stop) or not _stands_alone(page, shown, place, bounds):
        return []
    return _of_plain(page, part, (start, stop), place)


def _stands_alone(page: Page, shown: tuple[Shown, ...], place: int, bounds: list[list[int]]) -> bool:
    """Tell whether the last line of a part did not run into what follows, and the first is not a rest of what came."""
    return _parted(page, shown, place, bounds) and all(
        _parted(page, shown, before, bounds) for before in range(place) if _shows(shown[before])
    )


def _shows(each: Shown) -> bool:
    return not (isinstance(each.part, Told) and each.part.silent)


def _parted(page: Page, shown: tuple[Shown, ...], place: int, bounds: list[list[int]]) -> bool:
    """Tell whether part `place` certainly ended with a line of its own before the next part began."""
    following = next((i for i in range(place + 1, len(shown)) if _shows(shown[i])), None)
    own = shown[place].part
    if following is None or not isinstance(own, Lines | Noise):
        return True
    if any(len(bounds[i]) != 1 for i in (place + 1, following, following + 1)):
        return False
    begin, end = bounds[following][0], bounds[following + 1][0]
    after = shown[following].part
    if end <= begin:
        return False
    if isinstance(after, Literal):
        mark = max(after.lines, key=len)
        expected = sum(isinstance(e.part, Literal) and any(x.endswith(mark) for x in e.part.lines) for e in shown)
        return bool(mark.strip()) and sum(line.endswith(mark) for line in page.lines) == expected
    if not isinstance(after, Lines) or gutter_of(after.ops):
        return isinstance(after, Hits | Blame | Patch | Lines)
    full = isinstance(own, Lines) and most(own.ops) == bounds[place + 1][0] - bounds[place][0]
    return full and most(after.ops) == end - begin


def _of_plain(page: Page, part: Lines, at: tuple[int, int], place: int) -> list[Sighting]:
    """Lines without numbers: as many as they are, they can be only these."""
    start, stop = at
    if not _countable(part.ops):
        return []
    doubtful = part.ending and page.lines[stop - 1] == ""
    texts = page.lines[start : stop - doubtful]
    if any(op.kind == "strip" for op in part.ops):
        texts = _stripped(part.ops, texts)
    found = _counted(page, part, texts, (start, stop)) if texts else None
    if found is None:
        return []
    numbers, total = found
    pairs = list(zip(numbers, texts, strict=False))
    if any(op.kind == "reverse" for op in part.ops):
        # A last line without an end runs into the one that is shown behind it.
        pairs, total = pairs[1:], None
    return [
        Sighting(path=part.path, first=first, lines=tuple(run), total=total, revision=part.revision, part=place)
        for first, run in _runs(sorted(pairs))
    ]


def _countable(ops: tuple[Op, ...]) -> bool:
    """Tell whether the number of lines can tell which they are.

    Of a file whose last line has no end, a reversal shows one line less than there are: then only places that do not
    depend on the length are known.
    """
    straight = tuple(op for op in ops if op.kind != "reverse")
    return not any(op.kind == "some" for op in ops) and (len(straight) == len(ops) or from_the_start(straight))


def _counted(page: Page, part: Lines, texts: list[str], at: tuple[int, int]) -> tuple[list[int], int | None] | None:
    """Return the numbers of lines that stand at `at` in the output, and the file's length where they tell it."""
    start, stop = at
    doubtful, full = stop - start > len(texts), most(part.ops) == stop - start
    begins, ends = start > 0 or page.begins, stop < len(page.lines) or page.ends
    if doubtful and full:
        ends = False  # an empty line at the end may be the file's own
    found: tuple[list[int], int | None] | None = None
    if (full and not doubtful) or (begins and ends):
        found = _fitting(part, texts, ends=ends)
    elif begins and from_the_start(part.ops):
        found = _from_start(part.ops, texts), None
    return found or (_confirmed(page, part, texts) if part.revision is None else None)


def _stripped(ops: tuple[Op, ...], texts: list[str]) -> list[str]:
    """Take numbers off that count only lines that are not empty; none where they do not count up."""
    gutter = re.compile(next(op.gutter for op in ops if op.kind == "strip"), re.DOTALL)
    step = -1 if any(op.kind == "reverse" for op in ops) else 1
    found: list[str] = []
    last: int | None = None
    for text in texts:
        match = gutter.match(text)
        if match is None:
            return []
        if match[1]:
            if last is not None and int(match[1]) != last + step:
                return []
            last = int(match[1])
        found.append(match[2] or "")
    return found


def _from_start(ops: tuple[Op, ...], texts: list[str]) -> list[int]:
    numbers: list[int] = []
    for each in kept(ops, FAR):
        numbers += each[: len(texts) - len(numbers)]
    return numbers


def _fitting(part: Lines, texts: list[str], *, ends: bool) -> tuple[list[int], int | None] | None:
    found = fit(part.ops, len(texts))
    if found is None:
        return None
    return [number for each in found.ranges for number in each], found.total if ends else None


def _confirmed(page: Page, part: Lines, texts: list[str]) -> tuple[list[int], int | None] | None:
    """Return the place that what is known of the file confirms: all known lines there equal, and enough of them."""
    known = page.known(part.path)
    if known is None:
        return None
    lengths = [known.total, known.total - 1] if known.total else [None]
    places: list[list[int]] = []
    for total in lengths:
        if total is None:
            numbers = _from_start(part.ops, texts) if from_the_start(part.ops) else []
        else:
            ranges = kept(part.ops, total)
            numbers = [n for each in ranges for n in each] if count(ranges) == len(texts) else []
        if numbers and _agree(known.lines, numbers, texts) and numbers not in places:
            places.append(numbers)
    return (places[0], None) if len(places) == 1 else None


def _agree(known: list[str | None], numbers: list[int], texts: list[str]) -> bool:
    equal = 0
    for number, text in zip(numbers, texts, strict=True):
        old = known[number - 1] if number <= len(known) else None
        if old is not None and old != text:
            return False
        equal += old is not None and bool(text.strip())
    return equal >= min(CONFIRMING, len(texts))


def _of_numbered(page: Page, part: Lines, at: tuple[int, int], place: int) -> list[Sighting]:
    start, stop = at
    found = numbered_run(part, page.lines, start, stop)
    split = next(i for i, op in enumerate(part.ops) if op.kind == "number")
    before, behind = part.ops[:split], part.ops[split + 1 :]
    if any(op.kind == "reverse" for op in behind):
        found = found[1:]  # a last line without an end runs into the one that is shown behind it
    if not from_the_start(before) or any(op.kind == "some" for op in before) or not page.clean(start, stop):
        return []
    complete = page.ends and stop == len(page.lines)
    numbers = [_at(before, number) for number, _ in found]
    if not all(numbers):
        return []
    last_may_run_on = stop < len(page.lines)
    pairs = sorted(zip(numbers, (text for _, text in found), strict=True))
    if last_may_run_on and len(pairs) > 1:
        pairs = pairs[:-1] if numbers == sorted(numbers) else pairs[1:]
    short = most(behind) is None or len(found) < (most(behind) or 0)
    selects = any(op.kind in ("some", "drop", "reverse") or not from_the_start((op,)) for op in behind)
    total = pairs[-1][0] if complete and short and not selects and not before and not page.spoken else None
    return [
        Sighting(path=part.path, first=first, lines=tuple(run), total=total, revision=part.revision, part=place)
        for first, run in _runs(pairs)
    ]


def _at(ops: tuple[Op, ...], number: int) -> int:
    """Return the line of the file that is the `number`-th of a selection, 0 where there is none."""
    for each in kept(ops, FAR):
        if number <= len(each):
            return each[number - 1]
        number -= len(each)
    return 0


def _surely(shown: tuple[Shown, ...], place: int, bounds: list[list[int]]) -> int:
    """Return where the last line that is certainly a hit ends: hits with paths tell themselves apart."""
    later = [each.part for each in shown[place + 1 :] if _shows(each)]
    named = all(isinstance(part, Hits) and not part.single for part in (shown[place].part, *later))
    return bounds[place + 1][-1 if named else 0]


def _of_hits(page: Page, part: Hits, at: tuple[int, int], place: int) -> list[Sighting]:
    if not from_the_start(part.ops):
        return []
    start, stop = at
    whole = stop == len(page.lines)
    _, told = page.hits(part, start) if whole else hit_run(part, page.lines[:stop], start)
    by_path: dict[str, list[tuple[int, str]]] = {}
    for path, number, text in told:
        name = placed(part.folder, path) if path else part.places[0]
        if text and ("\x1b" in text or "\ufffd" in text):
            continue
        line = _at(part.ops, number) if part.ops else number
        if line and _searched(part, name):
            by_path.setdefault(name, []).append((line, text))
    return [
        Sighting(path=path, first=first, lines=tuple(run), revision=part.revision, part=place, of="hits")
        for path, pairs in by_path.items()
        for first, run in _runs(sorted(pairs))
    ]


def _searched(part: Hits, path: str) -> bool:
    """Tell whether a path lies where the search looked."""
    for place in part.places:
        bare = place.rstrip("/")
        if bare in (".", "") or path == bare or path.startswith(f"{bare}/") or not bare.isprintable() or "*" in bare:
            return True
    return part.folder is not None and any(place.endswith("/.") for place in part.places)


def _of_patch(page: Page, part: Patch, start: int, place: int) -> list[Sighting]:
    found: list[Sighting] = []
    for path, first, run in patch_run(page.lines, start).runs:
        if path == "/dev/null" or not all("\x1b" not in line for line in run):
            continue
        bare = path.partition("/")[2] if part.prefixed else path
        found.append(Sighting(path=bare, first=first, lines=tuple(run), revision=part.revision, part=place, of="patch"))
    return found


def _runs(pairs: list[tuple[int, str]]) -> list[tuple[int, list[str]]]:
    """Group numbered lines into runs without gaps; of a number that comes twice the first counts."""
    runs: list[tuple[int, list[str]]] = []
    following: int | None = None
    for number, text in pairs:
        if following is not None and number < following:
            continue
        if number == following:
            runs[-1][1].append(text)
        else:
            runs.append((number, [text]))
        following = number + 1
    return runs
