"""Instruction files (CLAUDE.md, AGENTS.md and their kin) inside the messages by which runtimes give them to the model.

* A message of Claude Code names each file: `Contents of PATH (what it is):`, an empty line, and its text.
* One of Codex is about a folder: `# AGENTS.md instructions for FOLDER`, then the text between `<INSTRUCTIONS>` tags.
* Other messages are instructions of no file, and stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from muniment.model.records import InstructionsLoaded, Message, Record

_NAMED: Final = re.compile(r"^Contents of (/[^\n]*?|[A-Za-z]:\\[^\n]*?)(?: \([^()\n]*\))?:\n\n", re.MULTILINE)
_END: Final = re.compile(r"^\s*(?:IMPORTANT: this context may or may not|</system-reminder>)", re.MULTILINE)
_FOLDER: Final = re.compile(
    r"\s*# (\w+\.md) instructions for ([^\n]+)\n+<INSTRUCTIONS>\n?(.*?)\n?</INSTRUCTIONS>", re.DOTALL
)


def with_instruction_files(records: Iterable[Record]) -> list[Record]:
    """Return records with one more behind each message of instructions for every file that it holds."""
    found: list[Record] = []
    for record in records:
        found.append(record)
        if isinstance(record, Message) and record.role == "instructions" and record.by == "harness":
            found += [
                InstructionsLoaded(
                    id=f"{record.id}:file:{place}",
                    by="harness",
                    session=record.session,
                    agent=record.agent,
                    clock=record.clock,
                    path=path,
                    content=content,
                )
                for place, (path, content) in enumerate(files_in(record.text))
            ]
    return found


def files_in(text: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each instruction file that a message holds."""
    folder = _FOLDER.match(text)
    if folder is not None:
        yield f"{folder[2].strip().rstrip('/')}/{folder[1]}", folder[3]
        return
    heads = list(_NAMED.finditer(text))
    for place, head in enumerate(heads):
        stop = heads[place + 1].start() if place + 1 < len(heads) else len(text)
        end = _END.search(text, head.end(), stop)
        yield head[1], text[head.end() : end.start() if end is not None else stop].strip("\n")
