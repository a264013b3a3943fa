"""Import units: which files belong together.

A folder is a session with its subagents: the files in it, and the session file of the same name beside it. Main files
come before the files of
their subagents. A folder of many sessions is many units in one import, each with its own mission. A folder that is one
conversation, one file an event, stands for itself.
"""

from __future__ import annotations

from pathlib import Path

from muniment.capture.documents import DOCUMENT_SUFFIXES, EVENTS, STATE_FILE, is_conversation
from muniment.errors import UsageError

SESSION_SUFFIXES = (".jsonl", ".ndjson")
_SUFFIXES = SESSION_SUFFIXES + DOCUMENT_SUFFIXES


def unit_files(path: Path) -> list[Path]:
    """Return the session files, and folders that are one conversation, that `path` stands for, main files first.

    Raises:
        UsageError: there is no such path, or no session file in it.
    """
    if path.is_file() or is_conversation(path):
        return [path]
    if not path.is_dir():
        raise UsageError(f"{path}: no such file or folder")
    found = [file for file in path.rglob("*") if file.suffix in _SUFFIXES and file.is_file()]
    conversations = {file.parent for file in found if file.name == STATE_FILE and is_conversation(file.parent)}
    found = [file for file in found if not _is_inside(file, conversations)] + list(conversations)
    folder = path.absolute() if path.name else path.resolve()  # `.` has no name, and `..` not its own
    beside = folder.parent / f"{folder.name}.jsonl"
    if beside.is_file():
        found.append(beside)
    if not found:
        raise UsageError(f"{path}: no session file (*{', *'.join(_SUFFIXES)}) in this folder")
    return sorted(found, key=lambda file: (len(file.parts), str(file)))


def files_read(path: Path) -> list[Path]:
    """Return all files that an import of `path` reads: those of a conversation's folder one by one.

    Raises:
        UsageError: there is no such path, or no session file in it.
    """
    units = unit_files(path)
    return [file for unit in units for file in ([unit] if unit.is_file() else _files_of(unit))]


def size_of(path: Path) -> int:
    """Return the bytes of a session file, or of the files of a conversation's folder."""
    return path.stat().st_size if path.is_file() else sum(file.stat().st_size for file in _files_of(path))


def _files_of(conversation: Path) -> list[Path]:
    return [conversation / STATE_FILE, *(conversation / EVENTS).iterdir()]


def _is_inside(file: Path, conversations: set[Path]) -> bool:
    return file.parent in conversations or (file.parent.name == EVENTS and file.parent.parent in conversations)
