"""Policy: how sensitive things are, and how much of it is shown to whom.

* A thing is as sensitive as the first rule says that its path, slot, class or words match; else it is public.
* A provider sees up to the level of the first rule that its name matches. One that no rule names sees what is public.
* What is withheld is said to be so, with its level, in its place: a reader must know that there is something.
"""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatchcase, translate
from typing import Annotated, Final, Literal

import msgspec

from muniment.errors import UsageError

Level = Literal["public", "internal", "confidential", "secret"]
LEVELS: Final[tuple[Level, ...]] = ("public", "internal", "confidential", "secret")
_EDGES: Final = "\"'`=:,;()[]{}<>"
"""Characters around a path in a command."""


class Sensitive(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What has a level: files by path, facts by slot or class, words by regular expressions."""

    level: Level
    paths: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class Provider(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The highest level that providers of some names are shown."""

    providers: tuple[str, ...]
    most: Level


class ApprovedCompactor(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Who may write words for packets: by its name and provider. `url`: where it is asked by HTTP.

    `seconds` and `bytes` limit an answer; `key` names the environment variable that holds its key.
    """

    name: Annotated[str, msgspec.Meta(min_length=1)]
    provider: Annotated[str, msgspec.Meta(min_length=1)]
    url: str = ""
    seconds: Annotated[float, msgspec.Meta(gt=0, le=600)] = 30.0
    bytes: Annotated[int, msgspec.Meta(ge=1, le=10_000_000)] = 200_000
    key: str = ""


class Policy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All rules, those that come first before."""

    sensitive: tuple[Sensitive, ...] = ()
    provider: tuple[Provider, ...] = ()
    compactor: tuple[ApprovedCompactor, ...] = ()

    def before(self, others: Policy) -> Policy:
        """Return these rules, and the others behind them."""
        return Policy(
            sensitive=self.sensitive + others.sensitive,
            provider=self.provider + others.provider,
            compactor=self.compactor + others.compactor,
        )

    def approved(self, name: str) -> ApprovedCompactor:
        """Return what is said of a compactor.

        Raises:
            UsageError: it is not approved of.
        """
        found = next((known for known in self.compactor if known.name == name), None)
        if found is None:
            known = ", ".join(each.name for each in self.compactor) or "none"
            raise UsageError(f"the policy approves of no compactor {name!r}; it approves of {known}")
        return found

    def clearance(self, provider: str) -> Clearance:
        """Return what a provider may see; "" is one of which nothing is known."""
        name = provider.lower()
        rule = next((r for r in self.provider if any(fnmatchcase(name, p.lower()) for p in r.providers)), None)
        return Clearance(self, rule.most if rule is not None else LEVELS[0])


class Clearance:
    """What somebody may see."""

    def __init__(self, policy: Policy, most: Level) -> None:
        self.most = most
        self._rules = policy.sensitive
        self._paths = [(_any(rule.paths), rule) for rule in policy.sensitive if rule.paths]
        self._levels: dict[str, str] = {}
        hidden = [rule for rule in policy.sensitive if self._hides(rule.level)]
        self._words = [(re.compile(word), rule.level) for rule in hidden for word in rule.words]

    @property
    def hides_words(self) -> bool:
        """Whether any words are withheld."""
        return bool(self._words)

    def path(self, path: str) -> str:
        """Return the level for which a file is withheld; "" where it is shown."""
        known = self._levels.get(path)
        if known is None:
            whole = "/" + path.lstrip("/")
            rules = (rule for pattern, rule in self._paths if pattern.match(whole) or pattern.match(path))
            found = next(rules, None)
            known = self._levels[path] = self._withheld(found) if found is not None else ""
        return known

    def command(self, command: str) -> str:
        """Return the level for which a command is withheld that names a file; "" where it is shown."""
        return next(filter(None, (self.path(word.strip(_EDGES)) for word in re.split(r"[\s=]", command) if word)), "")

    def fact(self, slot: str | None, class_: str) -> str:
        """Return the level for which a fact is withheld; "" where it is shown."""
        for rule in self._rules:
            if class_ in rule.classes or any(fnmatchcase(slot or "", pattern) for pattern in rule.slots):
                return self._withheld(rule)
        return ""

    def text(self, text: str) -> str:
        """Return a text with what is withheld of its words replaced; it has as many lines as before."""
        for pattern, level in self._words:
            mark = withheld(level)
            text = pattern.sub(lambda match, mark=mark: mark + "\n" * match[0].count("\n"), text)  # type: ignore[misc]
        return text

    def _withheld(self, rule: Sensitive) -> str:
        return rule.level if self._hides(rule.level) else ""

    def _hides(self, level: Level) -> bool:
        return LEVELS.index(level) > LEVELS.index(self.most)


def _any(patterns: tuple[str, ...]) -> re.Pattern[str]:
    """Return what matches where one of some patterns for paths does."""
    return re.compile("|".join(map(translate, patterns)))


def withheld(level: str) -> str:
    """Return what stands in the place of something that is withheld."""
    return f"[withheld: {level}]"


def parsed(text: str, name: str) -> Policy:
    """Return the policy of a file; `name` is what errors call it.

    Raises:
        UsageError: it is no TOML, or holds something else than a policy.
    """
    try:
        policy = msgspec.convert(tomllib.loads(text), Policy)
        for rule in policy.sensitive:
            for word in rule.words:
                re.compile(word)
        for known in policy.compactor:
            if known.url and not known.url.startswith(("http://", "https://")):
                raise UsageError(f"{name}: the compactor {known.name!r} has a url that is not of HTTP")
    except (tomllib.TOMLDecodeError, msgspec.ValidationError, re.error) as error:
        raise UsageError(f"{name}: {error}") from None
    return policy
