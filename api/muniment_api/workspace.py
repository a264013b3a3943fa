"""A cheap digest of a workspace: the commit, the index, and the files that differ from it, by git.

* Bounded: after `SECONDS`, or for what is over the limits of files and bytes, it says that it is not complete.
* It takes no lock and changes nothing. Where there is no git, or no repository, there is no digest.
* The store itself does not count.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from muniment import canonical
from muniment.digest import digest_of

SECONDS = 1.0
MOST_FILES = 500
MOST_BYTES = 16 << 20
SHORT = 32
"""Hexadecimal characters of the digests of single files."""
_STATUS = (
    "status",
    "--porcelain",
    "-z",
    "--no-renames",
    "--untracked-files=all",
    "--",
    ".",
    ":(exclude,glob)**/.muniment/**",
)


def workspace_digest(root: str) -> dict[str, object] | None:
    """Return `digest`, `head`, `complete`, `dirty` and `untracked`, the latter as path → digest of its bytes.

    A file that is gone has the digest "". None where there is no repository.
    """
    until = time.monotonic() + SECONDS
    top = _git(root, until, "rev-parse", "--show-toplevel", "--git-path", "index")
    if top is None:
        return None
    folder, _, index = top.decode("utf-8", "replace").rstrip("\n").partition("\n")
    head = _git(root, until, "rev-parse", "--verify", "--quiet", "HEAD")
    status = _git(folder, until, *_STATUS)
    lines = [line for line in (status or b"").split(b"\0") if len(line) > 3]
    names = [line[3:] for line in lines]
    new = {line[3:].decode("utf-8", "replace") for line in lines if line.startswith(b"??")}
    found, complete = _digests(Path(folder), sorted(names)[:MOST_FILES], until)
    commit = (head or b"").decode("ascii", "replace").strip()
    parts = [commit, _file_digest(Path(root) / index), *(f"{path}\n{value}" for path, value in found.items())]
    return {
        "digest": digest_of(canonical.fields(*parts)),
        "head": commit,
        "dirty": {path: value for path, value in found.items() if path not in new},
        "untracked": {path: value for path, value in found.items() if path in new},
        "complete": complete and status is not None and len(names) <= MOST_FILES,
    }


def _digests(folder: Path, names: list[bytes], until: float) -> tuple[dict[str, str], bool]:
    found: dict[str, str] = {}
    left = MOST_BYTES
    for name in names:
        path = folder / os.fsdecode(name)
        left -= _size(path)
        if left < 0 or time.monotonic() > until:
            return found, False
        found[name.decode("utf-8", "replace")] = _file_digest(path)[:SHORT]
    return found, True


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size
    except OSError:
        return 0


def _file_digest(path: Path) -> str:
    try:
        return digest_of(os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes())
    except OSError:
        return ""


def _git(folder: str, until: float, *arguments: str) -> bytes | None:
    """Return what git says, None where it fails or takes too long."""
    left = until - time.monotonic()
    if left <= 0:
        return None
    command = ["git", "--no-optional-locks", "-C", folder, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, timeout=left, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
