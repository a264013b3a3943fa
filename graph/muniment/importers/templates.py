"""What a harness's prompt template put around the task that it was given.

The template's own words are the harness's; only what was put in the place of its placeholder is the user's. Where the
words around the placeholder are not found in the text, all of the text counts as the user's: rather too much binds than
too little.
"""

from __future__ import annotations

import re

_PLACE = re.compile(r"\{\{?-?\s*(?:task|problem_statement|instruction|issue)\s*(?:\|[^{}]*)?-?\}?\}")
_OTHER = re.compile(r"\{[{%#].*?[}%#]\}|\{[a-z_]+\}", re.DOTALL)
_SHELL_PROMPT = re.compile(r"\s*\(Open file: .*?\)\s*\(Current directory: (?P<folder>.+?)\)\s*bash-\$\s*\Z")


class Template:
    """A template with one placeholder for the task, in the form of Jinja or of Python."""

    def __init__(self, text: str) -> None:
        match = _PLACE.search(text)
        self._known = match is not None
        self._before = "" if match is None else _OTHER.split(text[: match.start()])[-1]
        self._behind = "" if match is None else _OTHER.split(text[match.end() :])[0]

    def divide(self, text: str) -> tuple[str, str, str]:
        """Return what stands before the task, the task, and what stands behind it."""
        if not self._known:
            return "", text, ""
        start = text.find(self._before) if self._before else 0
        behind = self._behind.rstrip()
        end = text.rfind(behind) if behind else len(text)
        if start < 0 or end < start + len(self._before):
            return "", text, ""
        start += len(self._before)
        return text[:start].strip(), text[start:end].strip("\n"), text[end:].strip()


def folder_of_prompt(text: str) -> str | None:
    """Return the working directory that the shell prompt behind a text shows; None where there is none."""
    match = _SHELL_PROMPT.search(text)
    return match["folder"] if match else None


def without_prompt(text: str) -> str:
    """Return a text without the shell prompt behind it."""
    match = _SHELL_PROMPT.search(text)
    return text[: match.start()] if match else text
