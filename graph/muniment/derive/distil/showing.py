"""Showing: commands that only show what is in files, where words of alarm are part of what the files hold."""

from __future__ import annotations

import re
from typing import Final

_FAILED: Final = frozenset({"failed", "refused"})
_QUOTED: Final = re.compile(r"'[^']*'|\"(?:[^\"\\\\]|\\\\.)*\"")
_COMMAND: Final = re.compile(r"(?:^|[|;&(\n])\s*(?:\w+=\S*\s+)*([\w./-]+)(?:\s+([\w-]+))?")
_LOG: Final = re.compile(r"\.(?:log|out|err)\b|\blogs?\b")
_SHOWING: Final = frozenset(
    {
        *("awk", "bat", "cat", "cd", "column", "cut", "diff", "echo", "egrep", "fd", "fgrep", "find", "git", "grep"),
        *("head", "jq", "less", "ls", "nl", "printf", "pwd", "rg", "sed", "sort", "tail", "tee", "tr", "tree", "true"),
        *("uniq", "wc", "xargs", "yq"),
    }
)
_SHOWING_OF_GIT: Final = frozenset({"blame", "branch", "cat-file", "diff", "grep", "log", "ls-files", "show", "status"})


def shows_files(command: str | None, status: str | int | None) -> bool:
    """Tell whether a command that did not fail only shows what is in files other than logs."""
    if command is None or status in _FAILED or (isinstance(status, int) and status != 0):
        return False
    bare = _QUOTED.sub("_", command)
    words = _COMMAND.findall(bare)
    return (
        bool(words)
        and not shows_log(command)
        and all(
            word.rpartition("/")[2] in _SHOWING and (word != "git" or then in _SHOWING_OF_GIT) for word, then in words
        )
    )


def shows_log(command: str | None) -> bool:
    """Tell whether a command names a log: what that tells may have failed, though to show it did not."""
    return command is not None and _LOG.search(_QUOTED.sub("_", command).replace("git log", "")) is not None
