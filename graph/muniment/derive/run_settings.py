"""What settings in the environment narrow a run to: options that a runner takes from there, or tests that they name.

* `PYTEST_ADDOPTS` and its like hold options, read as if they stood behind the command.
* Settings that by their name choose tests (`TEST=test/a_test.rb`) do, unless they only switch something on or off.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from muniment.derive.run_words import SUITE, run_words
from muniment.derive.shell import Simple

_OPTIONS: Final = {
    "PYTEST_ADDOPTS": ("pytest", ("pytest",)),
    "GOFLAGS": ("go", ("go", "test", "./...")),
    "SPEC_OPTS": ("rspec", ("rspec",)),
}
"""Setting with options → the tool that reads it, and the command behind which they stand."""
_WRAPPERS: Final = frozenset({"script", "other"})
_CHOOSES: Final = re.compile(
    r"(?:TESTS?|SPECS?|TESTOPTS|TEST_(?:FILTER|PATTERN|NAME|FILES?|PATH)|TESTFILTER|FILTER|GREP|ONLY)=(?P<value>.*)",
    re.DOTALL,
)
_SWITCHES: Final = frozenset({"", "0", "1", "true", "false", "yes", "no", "on", "off", "all", "*"})


def narrowed_by(tool: str, simple: Simple, before: Iterable[Simple]) -> tuple[str, ...]:
    """Return the settings that narrow a run by `tool`: its own, and those exported before it in its line."""
    exported = [word for other in before if other.words[:1] == ("export",) for word in other.words[1:]]
    return tuple(setting for setting in (*exported, *simple.settings) if _narrows(tool, setting))


def _narrows(tool: str, setting: str) -> bool:
    name, _, value = setting.partition("=")
    if name in _OPTIONS:
        reader, command = _OPTIONS[name]
        found = run_words((*command, *value.strip("'\"").split())) if tool in (reader, *_WRAPPERS) else None
        return found is not None and found.scope != SUITE
    chosen = _CHOOSES.fullmatch(setting)
    return chosen is not None and chosen["value"].strip("'\"").lower() not in _SWITCHES
