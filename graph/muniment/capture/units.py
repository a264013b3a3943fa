"""Import units: which files belong together.

A folder is a session with its subagents: the files in it, and the session file of the same name beside it. Main files
come before the files of
their subagents. A folder of many sessions is many units in one import, each with its own mission.
"""

from __future__ import annotations

from pathlib import Path

from muniment.errors import UsageError

SESSION_SUFFIXES = (".jsonl", ".ndjson")


def unit_files(path: Path) -> list[Path]:
    """Return the session files that `path` stands for, main files first.

    Raises:
        UsageError: there is no such path, or no session file in it.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UsageError(f"{path}: no such file or folder")
    found = [file for file in path.rglob("*") if file.suffix in SESSION_SUFFIXES and file.is_file()]
    folder = path.absolute() if path.name else path.resolve()  # `.` has no name, and `..` not its own
    beside = folder.parent / f"{folder.name}.jsonl"
    if beside.is_file():
        found.append(beside)
    if not found:
        raise UsageError(f"{path}: no session file (*{', *'.join(SESSION_SUFFIXES)}) in this folder")
    return sorted(found, key=lambda file: (len(file.parts), str(file)))
