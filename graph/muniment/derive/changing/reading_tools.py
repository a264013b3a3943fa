"""What tools change that else only read, or only run another command, where an option makes them write, or hides what
they run.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from muniment.derive.changing.effect import ANYTHING, NOTHING, Command, Effect

Rule = Callable[[Command], Effect]

_HIDES: Final = re.compile(r"-C|--chdir|-S|--split-string|-[0ivu]*S|-o\Z|--open-tty|--process-slot-var")
"""Options of `env` and `xargs` behind which the command could not be taken off them."""
_LOGS: Final = re.compile(r"-[oO](.*)|--(?:log-file|LOG-FILE)(?:=(.*))?")


def _prefix_alone(command: Command) -> Effect:
    """`env` and `xargs` with nothing behind them print; else their command would have been taken off."""
    return ANYTHING if any(_HIDES.match(word) for word in command.rest) else NOTHING


def _pager(command: Command) -> Effect:
    """`less -o copy a` writes what it shows."""
    logs = [
        match[1] or match[2] or (command.rest[place + 1] if place + 1 < len(command.rest) else ".")
        for place, word in enumerate(command.rest)
        if (match := _LOGS.fullmatch(word))
    ]
    return command.wrote(*logs)


def _history(command: Command) -> Effect:
    """`history -w f` writes a file; without a name, that of the user."""
    if not any(re.fullmatch(r"-\w*[aw]\w*", word) for word in command.rest):
        return NOTHING
    return command.wrote(*(command.operands() or ["~/.bash_history"]))


def _manual(command: Command) -> Effect:
    return ANYTHING if command.has("-P", "--pager", "-H", "--html") else NOTHING


def _job_list(command: Command) -> Effect:
    return ANYTHING if command.has("-x") else NOTHING


RULES: Final[dict[str, Rule]] = {
    "env": _prefix_alone,
    "xargs": _prefix_alone,
    "less": _pager,
    "history": _history,
    "man": _manual,
    "jobs": _job_list,
}
"""Program → rule."""
