"""Importers: one session format each, from a source's own records to neutral ones.

A new format is a module with a format of :mod:`~muniment.importers.protocol` and a line in `LINE_FORMATS`, or
in `DOCUMENT_FORMATS` or `TEXT_FORMATS` where its files are not lines.
"""

from __future__ import annotations

from muniment.errors import FormatError
from muniment.importers.aider import AIDER
from muniment.importers.atif import ATIF
from muniment.importers.chat_messages import CHAT_MESSAGES
from muniment.importers.claude_code import CLAUDE_CODE
from muniment.importers.claude_code_hooks import CLAUDE_CODE_HOOK
from muniment.importers.codex import CODEX
from muniment.importers.codex_hooks import CODEX_HOOK
from muniment.importers.copilot_cli import COPILOT_CLI
from muniment.importers.gemini_cli import GEMINI_CLI
from muniment.importers.mini_swe_agent import MINI_SWE_AGENT
from muniment.importers.ndjson_records import NDJSON_RECORDS
from muniment.importers.opencode import OPENCODE
from muniment.importers.openhands import OPENHANDS
from muniment.importers.openhands_legacy import OPENHANDS_LEGACY
from muniment.importers.protocol import DocumentFormat, LineFormat, SessionFormat, TextFormat
from muniment.importers.swe_agent import SWE_AGENT
from muniment.model.entries import JSON_OBJECT

LINE_FORMATS: tuple[LineFormat, ...] = (
    CLAUDE_CODE,
    CODEX,
    CLAUDE_CODE_HOOK,
    CODEX_HOOK,
    COPILOT_CLI,
    GEMINI_CLI,
    NDJSON_RECORDS,
)
"""Formats of one JSON object a line, in the order in which they are tried on a file of unknown format."""
DOCUMENT_FORMATS: tuple[DocumentFormat, ...] = (
    MINI_SWE_AGENT,
    SWE_AGENT,
    ATIF,
    OPENHANDS,
    OPENHANDS_LEGACY,
    OPENCODE,
    GEMINI_CLI,
    CHAT_MESSAGES,
)
"""Formats of one JSON document a session, in the order in which they are tried."""
TEXT_FORMATS: tuple[TextFormat, ...] = (AIDER,)
"""Formats of text for people."""
FORMATS: tuple[SessionFormat, ...] = tuple(dict.fromkeys((*LINE_FORMATS, *DOCUMENT_FORMATS, *TEXT_FORMATS)))
"""All formats."""


def format_named(short: str) -> SessionFormat:
    """Return the format that `--format` calls `short`, or that entries call so (`codex/1`).

    Raises:
        FormatError: there is none.
    """
    for known in FORMATS:
        if short in (known.short, known.name):
            return known
    raise FormatError(f"no format {short!r} is known; known are {', '.join(known.short for known in FORMATS)}")


def sniff(first: list[JSON_OBJECT]) -> SessionFormat | None:
    """Return the format of a file by its first objects (up to 20), or None where none fits."""
    return next((known for known in LINE_FORMATS if known.sniff(first)), None)
