"""Constraints that a text states: what must never be done, which paths must stay as they are, what has to be run.

* Careful by design: a constraint that is read wrongly refuses honest work. Only plain imperatives count ("never push",
  "don't touch `vendor/`", "you must run `make lint` before you are done"), of acts and paths that a record can show.
* Never read: code blocks, quotations, questions, conditions ("if", "when"), and what need not be done ("you don't have
  to").
* "Unless I ask", "without my approval" leave a constraint as it is, but any later word of the user may lift it
  (`consent`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import msgspec

from muniment.closeout.rules.sentences import coded, restored, sentences

ACT, COMMAND, PATH, OUTSIDE, GENERATED, TESTS, RUN = "act", "command", "path", "outside", "generated", "tests", "run"
"""What a constraint is about: what git does, a command, paths, all but some paths, generated files, tests, a run."""

DONE: Final = "done"


class Constraint(msgspec.Struct, frozen=True, kw_only=True):
    """One constraint. `what`: acts, a command's words as text, or paths; `quote`: the sentence that states it.

    `removal`: only removing counts. `existing`: only files that were there. `by_hand`: commands may. `before`: when a
    run is due (done, commit or push). `to`: the branch that must not be pushed to.
    """

    kind: str
    what: tuple[str, ...]
    quote: str
    removal: bool = False
    existing: bool = False
    by_hand: bool = False
    consent: bool = False
    before: str = DONE
    to: str = ""


_NOT: Final = (
    r"(?:(?:(?:^|[,:;(]|\b(?:please|and|but|also|so|then|just|important|note)\b[,:]?)\s*(?:you\s+)?"
    r"(?:never|do not|don['’]?t)|\byou (?:must|should|may|shall|can)(?: ?not|n['’]t| never)|\byou cannot"
    r"|\byou(?:['’]re| are) not (?:allowed|permitted) to)\s+(?:ever |even |actually |try to |attempt to )?)"
)
_BREAK: Final = r"(?=\s*(?:$|[.,;:!)]|\b(?:or|and|yet|unless|until|without|at all|please|for now|under any|ever)\b))"
_GIT: Final = r"(?:git )?(?:force[- ]push|push|commit|rebase|amend|stash)"
_OBJECT: Final = (
    r"(?:\s+(?:anything|it|this|them|your (?:changes|work|code)|(?:any |the |my |these )?(?:changes?|code|commits?"
    r"|branch(?:es)?|files|work|repo)|to (?:the |any )?(?:remote|origin|github|upstream|repo(?:sitory)?)))?"
)
_ACT: Final = re.compile(
    rf"{_NOT}(?P<acts>{_GIT}(?:(?:\s*,\s*(?:or )?|\s+(?:or|and|nor)\s+|/){_GIT})*){_OBJECT}{_BREAK}", re.I
)
_BRANCHES: Final = frozenset({"main", "master", "trunk", "develop"})
_PUSH_TO: Final = re.compile(
    rf"{_NOT}(?:git )?push (?:directly |straight )?to (?:the )?(?P<to>\x00\d+\x00|main\b|master\b|trunk\b|develop\b)",
    re.I,
)
_INSTALL: Final = re.compile(
    rf"{_NOT}install (?:any |new |additional |other |more |further )*"
    r"(?:packages?|dependenc(?:y|ies)|modules?|librar(?:y|ies))"
    r"(?=\s*(?:$|[.,;:!)]|\b(?:or|and|as|because|since|unless|without|at all|please)\b))",
    re.I,
)
_PULL: Final = re.compile(rf"{_NOT}(?:open|create|make|raise) (?:a |any |the )?(?:prs?|pull requests?){_BREAK}", re.I)
_CODES: Final = r"\x00\d+\x00(?:(?:\s*,\s*(?:or )?|\s+(?:or|and|nor)\s+|/)\x00\d+\x00)*"
_RUN_NOT: Final = re.compile(
    rf"{_NOT}(?:(?:run|execute|call|invoke|use)\s+)?(?:the )?(?:command )?(?P<codes>{_CODES}){_BREAK}", re.I
)

_VERB: Final = r"(?:touch|edit|modify|change|alter|write to|write|overwrite|update|delete|remove|rename|move)"
_VERBS: Final = rf"(?P<verbs>{_VERB}(?:(?:\s*,\s*(?:or )?|\s+(?:or|and|nor)\s+|/){_VERB})*)"
_FILLER: Final = (
    r"(?:(?:the|any|anything|files?|code|contents?|of|in|under|inside|within|existing|folder|directory|file"
    r"|everything|our|my|all|from|at)\s+){0,6}"
)
_NAME: Final = r"(?:\x00\d+\x00|(?:\.{0,2}/)?[\w.@+*-]*[\w*](?:/[\w.@+*-]*[\w*])*/?)"
_NAMES: Final = rf"(?P<names>{_NAME}(?:(?:\s*,\s*(?:or |and )?|\s+(?:or|and|nor)\s+){_NAME})*)"
_HOW: Final = r"(?P<how>(?:\s+(?:folder|directory|dir|files?|directly|by hand|manually|itself|at all))*)"
_PATHS: Final = re.compile(rf"{_NOT}{_VERBS}\s+{_FILLER}{_NAMES}{_HOW}{_BREAK}", re.I)
_OUTSIDE: Final = re.compile(
    rf"{_NOT}(?P<verbs>{_VERB}|create)(?: or {_VERB})*\s+(?:(?:any|anything|files?|code|things?)\s+)*outside (?:of )?"
    rf"(?:the )?{_NAMES}{_HOW}{_BREAK}",
    re.I,
)
_ONLY: Final = re.compile(
    rf"(?:^|[,:;(]|\b(?:please|and|but|you (?:may|can|should|must))\b)\s*(?:only (?P<verbs>touch|edit|modify|change)"
    rf"|(?:touch|edit|modify|change) only)\s+{_FILLER}{_NAMES}{_HOW}{_BREAK}",
    re.I,
)
_GENERATED: Final = re.compile(
    rf"{_NOT}{_VERBS}\s+(?:the |any |our )?(?:auto-?)?generated (?:files?|code|sources?){_HOW}{_BREAK}", re.I
)
_TESTS: Final = re.compile(
    rf"{_NOT}{_VERBS}:?\s+(?:the |any |of the |our |these )*(?P<there>existing )?(?:unit )?"
    rf"(?:tests?|test (?:files?|suite|cases?|code)|testing (?:files?|code|logic)){_HOW}{_BREAK}",
    re.I,
)
_DUE: Final = (
    r"(?:before|prior to) (?:you (?:are |call it )?)?(?P<before>done|finish(?:ing)?|complet(?:e|ing)|stop(?:ping)?"
    r"|declaring|submit(?:ting)?|hand(?:ing)? (?:it )?(?:in|over|off)"
    r"|(?:each |every )?commit(?:s|ting)?|push(?:ing)?)\b"
)
_PLAIN_COMMAND: Final = r"(?:make|npm run|pnpm|yarn|cargo|just|tox|nox|mix|go) [a-z][\w:.-]*|pytest|ruff check"
_RUN: Final = (
    r"(?:(?:you )?(?:must|should|always|have to)(?: always)?|make sure (?:to|you|that you)|be sure to|remember to"
    rf"|please)?\s*run (?P<command>\x00\d+\x00|{_PLAIN_COMMAND})"
)
_RUN_FIRST: Final = re.compile(rf"(?:^|[,:;(]|\b(?:and|but|also|you)\b)\s*{_RUN}\s+{_DUE}", re.I)
_RUN_AFTER: Final = re.compile(
    rf"(?:^|[,:;(]|\b(?:and|but|also)\b)\s*{_DUE}[^.;]{{0,30}}?,\s*{_RUN}\s*(?:$|[.,;!])", re.I
)

_CONDITION: Final = re.compile(
    r"\?|\b(?:if|when|whenever|while|except|other than|apart from|in case|for example|e\.g|instead of|have to|need to"
    r"|why|how|should i|can i)\b",
    re.I,
)
_CONSENT: Final = re.compile(
    r"\b(?:unless|without|until|before)\s+(?:(?:i|we|my|our|me|being|you(?:'ve| have)?(?: been)?|the user|first"
    r"|explicit\w*|prior|asking|asked|told|permission|approval|confirm\w*|instructed|requested|consult\w*|review)\b)",
    re.I,
)
_LIMITED: Final = re.compile(r"\b(?:unless|without|until|before)\b", re.I)
_EXTENSION: Final = re.compile(r"\.[A-Za-z][A-Za-z0-9]{0,7}\Z")


@lru_cache(maxsize=256)
def constraints_in(text: str) -> tuple[Constraint, ...]:
    """Return the constraints that a text states, in its order, each once."""
    found: dict[tuple[object, ...], Constraint] = {}
    for sentence, codes in sentences(text):
        quote = restored(sentence, codes)
        for constraint, match in (*_prohibited(sentence, codes), *_required(sentence, codes)):
            clause = _clause(sentence, match)
            consent = constraint.kind != RUN and _CONSENT.search(clause) is not None
            limited = constraint.kind != RUN and not consent and _LIMITED.search(clause) is not None
            if not limited and _CONDITION.search(clause) is None:
                told = msgspec.structs.replace(constraint, quote=quote, consent=consent)
                found.setdefault((told.kind, told.what, told.to), told)
    return tuple(found.values())


def _clause(sentence: str, match: re.Match[str]) -> str:
    """Return what may limit a match: all before it up to a semicolon, and what follows up to a comma."""
    before, after = sentence[: match.start()], sentence[match.end() :]
    first = re.split(r"[,;:.)]", after, maxsplit=1)[0] if after[:1] not in (",", "") else ""
    return " ".join([re.split(r"[;:]", before)[-1], match[0], first, "?" * sentence.rstrip().endswith("?")])


_Found = Iterator[tuple[Constraint, re.Match[str]]]


def _prohibited(sentence: str, codes: list[str]) -> _Found:
    yield from _acts(sentence, codes)
    yield from _commands(sentence, codes)
    yield from _places(sentence, codes)
    for match in _GENERATED.finditer(sentence):
        yield Constraint(kind=GENERATED, what=(), by_hand=True, quote=""), match
    for match in _TESTS.finditer(sentence):
        yield Constraint(kind=TESTS, what=(), existing=True, by_hand=_by_hand(match), quote=""), match


def _acts(sentence: str, codes: list[str]) -> _Found:
    for match in _ACT.finditer(sentence):
        words = re.findall(r"force[- ]push|push|commit|rebase|amend|stash", match["acts"].lower())
        yield Constraint(kind=ACT, what=tuple(word.replace(" ", "-") for word in words), quote=""), match
    for match in _PUSH_TO.finditer(sentence):
        branch = coded(match["to"], codes)[0] if "\x00" in match["to"] else match["to"].lower()
        if branch in _BRANCHES:
            yield Constraint(kind=ACT, what=("push",), to=branch, quote=""), match
    for match in _PULL.finditer(sentence):
        yield Constraint(kind=ACT, what=("pull-request",), quote=""), match
    for match in _INSTALL.finditer(sentence):
        yield Constraint(kind=ACT, what=("install",), quote=""), match


def _commands(sentence: str, codes: list[str]) -> _Found:
    for match in _RUN_NOT.finditer(sentence):
        for code in coded(match["codes"], codes):
            if re.match(r"[a-z][\w.+-]*(?:\s|\Z)", code) and not _EXTENSION.search(code.split()[0]):
                yield Constraint(kind=COMMAND, what=(code,), quote=""), match


def _places(sentence: str, codes: list[str]) -> _Found:
    for match in _PATHS.finditer(sentence):
        names = _named(match, codes)
        verbs = set(re.findall(_VERB, match["verbs"].lower()))
        if names:
            removal = verbs <= {"delete", "remove", "rename", "move"}
            yield Constraint(kind=PATH, what=names, removal=removal, by_hand=_by_hand(match), quote=""), match
    for pattern, existing in ((_OUTSIDE, False), (_ONLY, True)):
        for match in pattern.finditer(sentence):
            if names := _named(match, codes):
                yield Constraint(kind=OUTSIDE, what=names, existing=existing, quote=""), match


def _required(sentence: str, codes: list[str]) -> _Found:
    for pattern in (_RUN_FIRST, _RUN_AFTER):
        for match in pattern.finditer(sentence):
            command = coded(match["command"], codes)[0] if "\x00" in match["command"] else match["command"]
            word = match["before"].lower()
            before = "commit" if "commit" in word else "push" if "push" in word else DONE
            yield Constraint(kind=RUN, what=(command,), before=before, quote=""), match


def _by_hand(match: re.Match[str]) -> bool:
    return any(word in match["how"] for word in ("directly", "hand", "manually"))


def _named(match: re.Match[str], codes: list[str]) -> tuple[str, ...]:
    """Return the paths that a match names; none where anything among them is not a path for certain."""
    folder = re.match(r"\s+(?:folder|directory|dir)\b", match["how"]) is not None
    found = []
    for name in re.split(r"\s*,\s*(?:or |and )?|\s+(?:or|and|nor)\s+", match["names"]):
        path = coded(name, codes)[0] if "\x00" in name else name
        if not _is_path(path, coded="\x00" in name, folder=folder):
            return ()
        found.append(path)
    return tuple(found)


def _is_path(path: str, *, coded: bool, folder: bool) -> bool:
    if not path or " " in path or "(" in path or path.startswith("-") or not re.search(r"\w", path):
        return False
    named = _EXTENSION.search(path) is not None and (coded or "/" in path or path.rsplit(".", 1)[-1] in _EXTENSIONS)
    return path.endswith("/") or (named and not path.endswith(".")) or (coded and "/" in path) or folder


_EXTENSIONS: Final = frozenset(
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
        "hpp",
        "html",
        "ini",
        "ipynb",
        "java",
        "js",
        "json",
        "jsx",
        "kt",
        "lock",
        "lua",
        "md",
        "mjs",
        "php",
        "pl",
        "proto",
        "py",
        "rb",
        "rs",
        "rst",
        "scss",
        "sh",
        "sql",
        "svg",
        "swift",
        "toml",
        "ts",
        "tsx",
        "txt",
        "vue",
        "xml",
        "yaml",
        "yml",
    ]
)
