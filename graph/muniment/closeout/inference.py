"""Claims read out of what an agent wrote: final answers and the texts of tasks that were completed.

* Careful by design: a claim that is missed costs a question, one that is invented costs trust. Only plain statements
  count.
* Never read: code blocks, quotations, block quotes, questions, plans, conditions, hopes, requests and denials. A
  sentence that holds
  any sign of these is left out whole.
* A kind of tests that cannot be placed ("the attribution tests pass") is no claim about the suite, so it is left out; a
  run that is
  named by its command (`pytest tests/a.py` passes) is a claim of that run's scope.
* A list of commands under a line that says that they passed (`Validation passed:`) is a claim of each of them.
* A criterion says what is to be: there `must pass` says what `passes` says in an answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

import msgspec

from muniment.closeout.phrases import (
    BARE_EXTENSIONS,
    BUILD,
    CODE,
    COMMAND,
    DOUBT,
    END,
    EXISTS,
    FENCE,
    FILE,
    GONE,
    LINT,
    LISTED,
    LONGEST,
    MARK,
    MARKUP,
    NONE_LEFT,
    NOT_YET,
    NOTHING_BAD,
    ONLY,
    OPENS_LINE,
    PATH,
    QUOTATION,
    RAN_WELL,
    SECTION,
    TESTS,
    TESTS_DONE,
    TO_BE,
    TRIGGER,
    TYPES,
)
from muniment.derive.run_words import SUITE, Scope
from muniment.derive.runs import runs_of

TYPE_OF_FAMILY: Final = {"test": "tests_pass", "build": "build_ok", "lint": "lint_clean", "types": "types_clean"}
REMEMBERED: Final = 1_024
"""Texts of which it is remembered what they claim: answers and tasks are read by each closeout and each packet."""


class InferredClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim that a text makes, with the sentence that makes it. `what` is the command, where one is named."""

    type: str
    quote: str
    scope: Scope | None = None
    path: str | None = None
    what: str | None = None


def inferred_claims(text: str) -> list[InferredClaim]:
    """Return the claims that a text makes, in its order, each once."""
    return list(_made_in(text)) if TRIGGER.search(text) is not None else []


@lru_cache(maxsize=REMEMBERED)
def _made_in(text: str) -> tuple[InferredClaim, ...]:
    found: dict[tuple[str, Scope | None, str | None, str | None], InferredClaim] = {}
    for sentence, codes, title in _sentences(text):
        for claim in _claims_in(sentence, codes, title):
            found.setdefault((claim.type, claim.scope, claim.path, claim.what), claim)
    return tuple(found.values())


def criterion_claims(text: str) -> list[InferredClaim]:
    """Return what a criterion asks for, as the claims that would say that it is met; none where words cannot tell."""
    return inferred_claims(TO_BE.sub(_as_it_is, text))


def _as_it_is(match: re.Match[str]) -> str:
    return "is " if match["be"] else ""


def _sentences(text: str) -> Iterator[tuple[str, list[str], str]]:
    """Yield the sentences of a text, each with its inline code, which is taken out of it so that its words say nothing,
    and with the title of the list that it is in.
    """
    for paragraph, title in _paragraphs(_without_code_blocks(text)):
        codes: list[str] = []

        def marked(match: re.Match[str], codes: list[str] = codes) -> str:
            codes.append(match[1])
            return f"\x00{len(codes) - 1}\x00"

        plain = QUOTATION.sub(" \x02 ", CODE.sub(marked, re.sub(r"[\x00-\x02]", " ", paragraph)))
        for part in END.split(plain):
            sentence = " ".join(MARKUP.sub("", part).split())
            if 0 < len(sentence) <= LONGEST:
                yield sentence, codes, title


def _without_code_blocks(text: str) -> Iterator[str]:
    """Yield the lines of a text that are in no code block. A block that never closes goes to the end."""
    mark = ""
    for line in text.split("\n"):
        fence = FENCE.match(line)
        if mark:
            mark = "" if fence is not None and fence["mark"] == mark else mark
            yield ""
        elif fence is not None:
            mark = fence["mark"]
            yield ""
        else:
            yield line


def _paragraphs(given: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield what belongs together: wrapped lines as one, list items apart, each with the title right above its list.

    Not what is quoted, tabled or yet to be.
    """
    lines: list[str] = []
    told, title = True, ""
    for line in [*given, ""]:
        section = SECTION.match(line)
        opens = OPENS_LINE.match(line) is not None
        if (section is not None or not line.strip() or opens) and lines:
            yield " ".join(lines), title
            lines = []
        if section is not None:
            title = (section["title"] or section["bold"] or section["lead"] or "").strip(" :")
            told = NOT_YET.search(title) is None
        elif told and line.strip() and not line.lstrip().startswith((">", "|")):
            title = title if opens or lines else ""
            lines.append(line.strip())


def _claims_in(sentence: str, codes: list[str], title: str) -> Iterator[InferredClaim]:
    plain = NOTHING_BAD.sub(_good_news, sentence)
    quote = MARK.sub(lambda match: f"`{codes[int(match[1])]}`", sentence)
    if "\x02" in plain:
        return
    yield from _said_whole(plain.rstrip(".! "), codes, quote, title)
    if DOUBT.search(plain):
        return
    if TESTS.search(plain) or TESTS_DONE.search(plain):
        yield InferredClaim(type="tests_pass", scope=SUITE, quote=quote)
    for kind, pattern in (("build_ok", BUILD), ("lint_clean", LINT), ("types_clean", TYPES)):
        if pattern.search(plain):
            yield InferredClaim(type=kind, scope=SUITE, quote=quote)
    for match in COMMAND.finditer(plain):
        yield from _commanded(codes[int(match[1])], quote)
    for match in (*FILE.finditer(plain), *EXISTS.finditer(plain)):
        path = codes[int(match[1])]
        rest = match.groupdict().get("rest", "")
        if _is_path(path) and not re.match(r"\s*(?:to|call|function|method|class|field|option|flag)\b", rest):
            yield InferredClaim(type="file_written", path=path, quote=quote)


def _said_whole(plain: str, codes: list[str], quote: str, title: str) -> Iterator[InferredClaim]:
    """Yield the claims that a sentence makes only if it says nothing else."""
    if (alone := re.fullmatch(r"\x00(\d+)\x00", plain)) and RAN_WELL.fullmatch(title):
        yield from _commanded(codes[int(alone[1])], f"{title}: {quote}")
    if gone := GONE.fullmatch(plain):
        path = codes[int(gone[1])]
        if _is_path(path):
            yield InferredClaim(type="file_absent", path=path, quote=quote)
    if left := NONE_LEFT.fullmatch(plain):
        what, place = codes[int(left["what"])], codes[int(left["place"])]
        if _is_path(place) or place.endswith("/"):
            yield InferredClaim(type="absent_in_file", what=what, path=place, quote=quote)
    if only := ONLY.fullmatch(plain):
        named = only["a"] or only["b"] or only["c"] or ""
        paths = tuple(codes[int(place)] for place in MARK.findall(named))
        if LISTED.fullmatch(named + " ") and all(_is_path(path) or path.endswith("/") for path in paths):
            yield InferredClaim(type="only_changed", scope=paths, quote=quote)


def _good_news(match: re.Match[str]) -> str:
    """What is absent and bad: the linter's, the type checker's, or anybody's."""
    words = match[0].lower()
    if re.search(r"\blint\w*|\bcredo\b|\beslint\b", words):
        return "\x01lint"
    return "\x01type" if re.search(r"\btypes?\b", words) else "\x01"


def _commanded(command: str, quote: str) -> Iterator[InferredClaim]:
    """A run that is named by its command is a claim of that run's family and scope."""
    for run in runs_of(command):
        yield InferredClaim(type=TYPE_OF_FAMILY[run.family], scope=run.scope, what=command, quote=quote)


def _is_path(text: str) -> bool:
    if not PATH.match(text) or text.endswith("/") or "://" in text:
        return False
    return "/" in text or "." not in text or text.rsplit(".", 1)[-1] in BARE_EXTENSIONS
