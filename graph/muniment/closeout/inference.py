"""Claims read out of what an agent wrote: final answers and the texts of tasks that were completed.

* Careful by design: a claim that is missed costs a question, one that is invented costs trust. Only plain statements
  count.
* Never read: code blocks, quotations, block quotes, questions, plans, conditions, hopes, requests and denials. A
  sentence that holds
  any sign of these is left out whole.
* A kind of tests that cannot be placed ("the attribution tests pass") is no claim about the suite, so it is left out; a
  run that is
  named by its command (`pytest tests/a.py` passes) is a claim of that run's scope.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

import msgspec

from muniment.derive.run_words import SUITE, Scope
from muniment.derive.runs import runs_of

TYPE_OF_FAMILY: Final = {"test": "tests_pass", "build": "build_ok", "lint": "lint_clean", "types": "types_clean"}


class InferredClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim that a text makes, with the sentence that makes it. `what` is the command, where one is named."""

    type: str
    quote: str
    scope: Scope | None = None
    path: str | None = None
    what: str | None = None


_SECTION: Final = re.compile(
    r"^\s*(?:#{1,6}\s+(?P<title>.*)|\*\*(?P<bold>[^*]+)\*\*:?\s*|(?P<lead>[A-Z][\w ]{2,40}):\s*)$"
)
_NOT_YET: Final = re.compile(
    r"\b(?:next|steps?|to[- ]?do|plan\w*|remain\w*|criteri\w*|accept\w*|require\w*|goals?|expect\w*|how to"
    r"|usage|before|future"
    r"|follow-?ups?|pending|left|open|checklist|definition of done|original\w*|background|context|issue|problem"
    r"|request)\b",
    re.IGNORECASE,
)
"""Titles of sections whose sentences tell what is to be, or was, and not what is."""
_OPENS_LINE: Final = re.compile(r"\s*(?:[-*+•]\s|\d+[.)]\s|#|>|\||[✅✓✔❌✗])")
_FENCE: Final = re.compile(r"\s*(?P<mark>```|~~~)")
_LONGEST: Final = 600
"""Characters of a sentence; a longer one is no plain statement."""
_QUOTATION: Final = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|‘[^’\n]*’|«[^»\n]*»|(?<!\w)'[^'\n]*'(?!\w)")
_CODE: Final = re.compile(r"`([^`\n]+)`")
_END: Final = re.compile(r"(?<=[.!;])\s+|(?<=\?)\s+|\s+[—–]\s+|\s+->\s+|\n")
_MARKUP: Final = re.compile(r"^[\s>*+#-]*(?:\[[xX]\]\s*)?(?:\d+[.)]\s+)?|\*\*|__|[✅✓✔🎉🟢]\ufe0f?")
_MARK: Final = re.compile(r"\x00(\d+)\x00")

_NOTHING_BAD: Final = re.compile(
    r"\b(?:with )?(?:no|zero|0|without(?: any)?)\s+(?:\w+\s+){0,2}(?:failures?|errors?|issues?|warnings?"
    r"|problems?|regressions?)\b",
    re.I,
)
_DOUBT: Final = re.compile(
    r"\?|\b(?:not|never|no|none|nor|neither|cannot|without|fail\w*|broken?|errors?|unless|if|whether|when|once"
    r"|until|till|before|should|would|could"
    r"|might|may|must|will|shall|going to|gonna|want\w*|need\w*|require\w*|expect\w*|hope\w*|hopefully|assum\w*"
    r"|suppose\w*|presum\w*|probabl[ey]"
    r"|likely|seem\w*|appear\w*|think|believe|guess|try\w*|tried|attempt\w*|plan\w*|next|todo|ensure\w*"
    r"|make sure|making sure|verify\w*"
    r"|confirm that|check (?:that|if)|let me|let's|let us|please|can you|except|excluding|apart from|other than"
    r"|but|however|though|although|most|many"
    r"|some|almost|nearly|only|previous\w*|earlier|formerly|used to|yesterday|originally|initially|on main"
    r"|in ci|on ci|upstream|goal|so that"
    r"|in order|pending|criteri\w*|acceptance|target|unable|was able|were able|example|e\.g|i\.e|instead|rather"
    r"|asked|wanted|claims?|said"
    r"|says|\w+n['’]t|\w+['’]ll|\w+['’]d)\b",
    re.I,
)
"""Words after which a sentence may be anything but a plain statement of what is."""

_ALL: Final = r"(?:(?:all|the|full|whole|entire|complete|existing|of|our|\d+(?:/\d+)?|project|repo)\s+)*"
_ENOUGH: Final = (
    r"(?=\s*(?:$|[.,;:!()\x00-\x02-]|(?:and|now|again|too|locally|successfully|cleanly|after|including)\b|with \x01))"
)
"""What is said of some part only (`pass for both backends`) is left out."""
_NOW: Final = r"(?:now |all |still |also |successfully |currently )*"
_PASSED: Final = (
    r"(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are|were|was|run|runs|ran|came back) (?:now |all |still )*"
    r"(?:pass(?:ing|ed)|green|successful(?:ly)?|clean(?:ly)?|happy|ok))\b"
) + _ENOUGH
_TESTS: Final = re.compile(
    rf"(?:^|[,:;(]|\band\b)\s*(?P<which>{_ALL})(?P<noun>tests?(?: suites?| cases)?|test suites?|specs?"
    rf"|suite)\s+{_NOW}{_PASSED}",
    re.I,
)
_TESTS_DONE: Final = re.compile(
    r"(?:^|[,:;(]|\band\b)\s*(?:ran|run) (?:the )?(?:full |whole |entire |complete )?(?:test suite|tests"
    r"|suite)[,:]? (?:and )?(?:they |it )?all pass(?:es|ed|ing)?\b",
    re.I,
)
_BUILD: Final = re.compile(
    rf"(?:^|[,:;(]|\band\b)\s*(?:(?:the|full|production|project|app|whole)\s+)*(?:build\s+{_NOW}{_PASSED}"
    r"|(?:project|app|code|everything|workspace|it)\s+(?:now )?(?:builds|compiles)(?: (?:now"
    r"|again))? ?(?:successfully|cleanly|fine|\x01|$|[.,)]))",
    re.I,
)
_LINT: Final = re.compile(
    rf"(?:^|[,:;(]|\band\b)\s*(?:the\s+)?(?:lint(?:er|ing|ers)?|eslint|ruff|biome|golangci-lint|flake8|pylint"
    rf"|credo|clippy|rubocop)(?: checks?)?\s+"
    rf"{_NOW}(?:{_PASSED}|shows? \x01|reports? \x01|(?:is|are) \x01)|(?:^|[,:;(]|\band\b)\s*\x01lint",
    re.I,
)
_TYPES: Final = re.compile(
    rf"(?:^|[,:;(]|\band\b)\s*(?:the\s+)?(?:type[- ]?check(?:s|er|ing)?|mypy|pyright|tsc"
    rf"|types)(?: checks?)?\s+{_NOW}(?:{_PASSED}|shows? \x01|reports? \x01)"
    r"|(?:^|[,:;(]|\band\b)\s*\x01type",
    re.I,
)
_COMMAND: Final = re.compile(
    rf"(?:^|[,:;(]|\band\b)\s*\x00(\d+)\x00\s*(?:now |also |still |all |:|→|=>|-)*\s*{_PASSED}", re.I
)
_FILE: Final = re.compile(
    r"(?:^|\b(?:I|we|I've|we've|I have|and))\s*(?:also |then |now )?(?:created|wrote|written|generated|saved"
    r"|added)\s*:?\s+"
    r"(?:(?:a|an|the|new|file|files|script|test|module|document|doc|report|config|component|migration|in|to|as"
    r"|at)\s+)*\x00(\d+)\x00(?P<rest>.{0,24})",
    re.I,
)
_ADDED_TO: Final = re.compile(r"\b(?:to|in|at)\s*$", re.I)
_PATH: Final = re.compile(
    r"(?:[\w.@~+-]+/)*[\w.@+-]*\w\.[A-Za-z][A-Za-z0-9]{0,7}\Z|(?:[\w.@~+-]+/)*(?:Makefile|Dockerfile|LICENSE"
    r"|README)\Z|/(?:[\w.@~+-]+/)*[\w.@+-]+\Z"
)
_BARE_EXTENSIONS: Final = frozenset(
    [
        "c",
        "cc",
        "cfg",
        "conf",
        "cpp",
        "cs",
        "css",
        "csv",
        "ex",
        "exs",
        "go",
        "h",
        "hcl",
        "hpp",
        "html",
        "ini",
        "ipynb",
        "java",
        "js",
        "json",
        "jsonl",
        "jsx",
        "kt",
        "lock",
        "lua",
        "md",
        "mjs",
        "mts",
        "php",
        "pl",
        "png",
        "py",
        "rb",
        "rs",
        "rst",
        "scala",
        "scss",
        "sh",
        "sql",
        "svelte",
        "svg",
        "swift",
        "tex",
        "toml",
        "ts",
        "tsx",
        "txt",
        "vue",
        "xml",
        "yaml",
        "yml",
        "zig",
    ]
)


def inferred_claims(text: str) -> list[InferredClaim]:
    """Return the claims that a text makes, in its order, each once."""
    found: dict[tuple[str, Scope | None, str | None, str | None], InferredClaim] = {}
    for sentence, codes in _sentences(text):
        for claim in _claims_in(sentence, codes):
            found.setdefault((claim.type, claim.scope, claim.path, claim.what), claim)
    return list(found.values())


def _sentences(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the sentences of a text; inline code is taken out of them and listed, so that its words say nothing."""
    for paragraph in _paragraphs(_without_code_blocks(text)):
        codes: list[str] = []

        def marked(match: re.Match[str], codes: list[str] = codes) -> str:
            codes.append(match[1])
            return f"\x00{len(codes) - 1}\x00"

        plain = _QUOTATION.sub(" \x02 ", _CODE.sub(marked, re.sub(r"[\x00-\x02]", " ", paragraph)))
        for part in _END.split(plain):
            sentence = " ".join(_MARKUP.sub("", part).split())
            if 0 < len(sentence) <= _LONGEST:
                yield sentence, codes


def _without_code_blocks(text: str) -> Iterator[str]:
    """Yield the lines of a text that are in no code block. A block that never closes goes to the end."""
    mark = ""
    for line in text.split("\n"):
        fence = _FENCE.match(line)
        if mark:
            mark = "" if fence is not None and fence["mark"] == mark else mark
            yield ""
        elif fence is not None:
            mark = fence["mark"]
            yield ""
        else:
            yield line


def _paragraphs(given: Iterable[str]) -> Iterator[str]:
    """Yield what belongs together: wrapped lines as one, list items apart; not what is quoted, tabled or yet to be."""
    lines: list[str] = []
    told = True
    for line in [*given, ""]:
        section = _SECTION.match(line)
        apart = section is not None or not line.strip() or _OPENS_LINE.match(line) is not None
        if apart and lines:
            yield " ".join(lines)
            lines = []
        if section is not None:
            told = _NOT_YET.search(section["title"] or section["bold"] or section["lead"] or "") is None
        elif told and line.strip() and not line.lstrip().startswith((">", "|")):
            lines.append(line.strip())


def _claims_in(sentence: str, codes: list[str]) -> Iterator[InferredClaim]:
    plain = _NOTHING_BAD.sub(_good_news, sentence)
    if _DOUBT.search(plain) or "\x02" in plain:
        return
    quote = _MARK.sub(lambda match: f"`{codes[int(match[1])]}`", sentence)
    if _TESTS.search(plain) or _TESTS_DONE.search(plain):
        yield InferredClaim(type="tests_pass", scope=SUITE, quote=quote)
    for kind, pattern in (("build_ok", _BUILD), ("lint_clean", _LINT), ("types_clean", _TYPES)):
        if pattern.search(plain):
            yield InferredClaim(type=kind, scope=SUITE, quote=quote)
    for match in _COMMAND.finditer(plain):
        yield from _commanded(codes[int(match[1])], quote)
    for match in _FILE.finditer(plain):
        path = codes[int(match[1])]
        if _is_path(path) and not re.match(r"\s*(?:to|call|function|method|class|field|option|flag)\b", match["rest"]):
            yield InferredClaim(type="file_written", path=path, quote=quote)


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
    if not _PATH.match(text) or text.endswith("/") or "://" in text:
        return False
    return "/" in text or "." not in text or text.rsplit(".", 1)[-1] in _BARE_EXTENSIONS
