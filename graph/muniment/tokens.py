"""Tokens: how long a text is for a model.

* Counts are real: `o200k()` counts with OpenAI's o200k_base vocabulary, offline. For other providers' models there is
  no official tokenizer; the counter's name travels with each view, so that a reader knows what was counted.
* The count of a whole is not the sum of its parts. Who promises a limit counts the final text.
* Lone surrogates, which no tokenizer accepts, count as one `?` each.
* Where a model's own tokens are more or fewer, a factor says so: `scaled` counts each text as that many times more, and
  its name ends in the factor (`o200k_base*1.35`), by which `counter_named` finds it again.
* Answers are remembered by a digest of the text, so that views of a growing history count only what is new.
* The vocabulary takes a tenth of a second to load; it is loaded by the first count, once per process.
"""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterable
from functools import lru_cache
from hashlib import blake2b
from importlib.machinery import PathFinder
from types import ModuleType
from typing import Protocol

LONGEST_TOKEN = 128
"""Characters of the longest token of o200k_base: a text of n characters has at least n / 128 tokens."""

USUAL_TOKEN = 8
"""Characters that few tokens exceed: a text with fewer than this for each allowed token is counted to its end."""

MEMO_FROM = 64
"""Characters from which on an answer is remembered: below, counting is as fast as looking up."""
MEMO_ENTRIES = 16_384
"""Answers that are remembered at most: about 2 MB."""

_BINDINGS = "bpe_openai._bindings"

_LINE = re.compile(r"[^\n]*\n(?:[^\S\n]*\n)*|[^\n]+")
"""A line with the blank lines that follow it: the tokenizer takes their line ends together."""


class TokenCounter(Protocol):
    """Counts and cuts texts in the tokens of one vocabulary."""

    @property
    def name(self) -> str:
        """What counts: the estimator that a view names."""
        ...

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        ...

    def fits(self, text: str, tokens: int) -> bool:
        """Tell whether `text` has at most so many tokens, without counting further than that."""
        ...

    def cut(self, text: str, tokens: int, *, end: bool = False) -> str:
        """Return as many whole lines from the start of `text` (`end`: from its end) as so many tokens hold.

        Where not even the first (last) line fits, return as many of its characters as fit.
        """
        ...


class BpeVocabulary(Protocol):
    """The part of the tokenizer that is used."""

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        ...

    def count_till_limit(self, text: str, token_limit: int) -> int | None:
        """Return the number of tokens of `text`, or None once it is above the limit."""
        ...


class BpeCounter:
    """Counts with a byte-pair vocabulary of bpe-openai, loaded on first use."""

    def __init__(self, vocabulary: str) -> None:
        self._vocabulary = vocabulary
        self._loaded: BpeVocabulary | None = None
        self._memo: dict[bytes, int] = {}

    @property
    def name(self) -> str:
        """The name of the vocabulary."""
        return self._vocabulary

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`."""
        if len(text) < MEMO_FROM:
            return self._count(text)
        return self._remembered(text, "count", lambda: self._count(text))

    def fits(self, text: str, tokens: int) -> bool:
        """Tell whether `text` has at most so many tokens."""
        if tokens < 0 or len(text) > tokens * LONGEST_TOKEN:
            return False
        if len(text) <= tokens * USUAL_TOKEN:
            return self.count(text) <= tokens
        return bool(self._remembered(text, f"fits {tokens}", lambda: self._stays_within(text, tokens)))

    def cut(self, text: str, tokens: int, *, end: bool = False) -> str:
        """Return as many whole lines, or characters of one line, as fit, from the start or the end."""
        if tokens <= 0 or not text:
            return ""
        length = self._remembered(text, f"cut {tokens} {end}", lambda: len(self._cut(text, tokens, end=end)))
        return text[len(text) - length :] if end else text[:length]

    def _cut(self, text: str, tokens: int, *, end: bool) -> str:
        if self.fits(text, tokens):
            return text
        window = min(len(text), tokens * LONGEST_TOKEN)
        taken = self._last_lines(text[-window:], tokens) if end else self._first_lines(text[:window], tokens)
        if taken:
            return taken
        line = text[-window:].rpartition("\n")[2] if end else text[:window].partition("\n")[0]
        return self._characters(line, tokens, end=end)

    def _first_lines(self, window: str, tokens: int) -> str:
        lines = self._while_fitting((m[0] for m in _LINE.finditer(window)), tokens)
        if lines and not lines[-1].endswith("\n"):
            lines.pop()
        while lines and not self._stays_within("".join(lines), tokens):
            lines.pop()
        return "".join(lines)

    def _last_lines(self, window: str, tokens: int) -> str:
        whole = window.split("\n")
        lines = self._while_fitting((line + "\n" for line in reversed(whole[1:])), tokens)
        while lines and not self._stays_within("".join(reversed(lines))[:-1], tokens):
            lines.pop()
        return "".join(reversed(lines))[:-1]

    def _while_fitting(self, lines: Iterable[str], tokens: int) -> list[str]:
        taken: list[str] = []
        left = tokens + 1
        for line in lines:
            left -= self._count(line) if len(line) <= left * LONGEST_TOKEN else left + 1
            if left < 0:
                break
            taken.append(line)
        return taken

    def _characters(self, line: str, tokens: int, *, end: bool) -> str:
        low, high, middle = 0, len(line), min(len(line), tokens * USUAL_TOKEN // 2)
        while low < high:
            part = line[-middle:] if end else line[:middle]
            low, high = (middle, high) if self._stays_within(part, tokens) else (low, middle - 1)
            middle = (low + high + 1) // 2
        return line[len(line) - low :] if end else line[:low]

    def _remembered(self, text: str, what: str, work: Callable[[], int]) -> int:
        if len(text) < MEMO_FROM:
            return work()
        key = blake2b(f"{what}\n{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._memo.get(key)
        if known is None:
            known = work()
            if len(self._memo) >= MEMO_ENTRIES:
                self._memo.clear()
            self._memo[key] = known
        return known

    def _stays_within(self, text: str, tokens: int) -> bool:
        return self._bpe().count_till_limit(encodable(text), tokens) is not None

    def _count(self, text: str) -> int:
        return self._bpe().count(encodable(text))

    def _bpe(self) -> BpeVocabulary:
        if self._loaded is None:
            self._loaded = load_vocabulary(self._vocabulary)
        return self._loaded


class ScaledCounter:
    """Counts as another counter does, times `thousandths` / 1000, rounded up. So what fits here fits the model."""

    def __init__(self, counter: TokenCounter, thousandths: int) -> None:
        self._counter = counter
        self._thousandths = thousandths

    @property
    def name(self) -> str:
        """The vocabulary's name and the factor."""
        return f"{self._counter.name}*{self._thousandths / 1000:g}"

    def count(self, text: str) -> int:
        """Return the number of tokens of `text`, rounded up."""
        return -(-self._counter.count(text) * self._thousandths // 1000)

    def fits(self, text: str, tokens: int) -> bool:
        """Tell whether `text` has at most so many tokens."""
        return self._counter.fits(text, self._room(tokens))

    def cut(self, text: str, tokens: int, *, end: bool = False) -> str:
        """Return as many whole lines, or characters of one line, as fit, from the start or the end."""
        return self._counter.cut(text, self._room(tokens), end=end)

    def _room(self, tokens: int) -> int:
        return tokens * 1000 // self._thousandths


def scaled(counter: TokenCounter, factor: float) -> TokenCounter:
    """Return a counter of `factor` times as many tokens; the factor counts to three places."""
    thousandths = round(factor * 1000)
    return counter if thousandths == 1000 else ScaledCounter(counter, thousandths)


def counter_named(name: str) -> TokenCounter:
    """Return the counter with this name: that of o200k_base, or a scaled one."""
    factor = name.partition("*")[2]
    return scaled(o200k(), float(factor)) if factor else o200k()


def encodable(text: str) -> str:
    """Return `text` with each lone surrogate as `?`, so that UTF-8 can hold it."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=4)
def load_vocabulary(name: str) -> BpeVocabulary:
    """Load a vocabulary of bpe-openai.

    Only the package's compiled part is loaded: the package itself reads a second vocabulary, which takes a second.

    Raises:
        ModuleNotFoundError: bpe-openai is not installed.
    """
    bindings = sys.modules.get(_BINDINGS) or _load_bindings()
    vocabulary: BpeVocabulary = bindings.tokenizer_for_encoding(name)
    return vocabulary


def _load_bindings() -> ModuleType:
    package = importlib.util.find_spec("bpe_openai")
    spec = PathFinder.find_spec(_BINDINGS, package.submodule_search_locations) if package else None
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError("bpe-openai, which counts tokens, is not installed")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    sys.modules[_BINDINGS] = module  # an ordinary import of the package afterwards must find this one
    return module


@lru_cache(maxsize=1)
def o200k() -> TokenCounter:
    """Return the counter for o200k_base, one per process."""
    return BpeCounter("o200k_base")
