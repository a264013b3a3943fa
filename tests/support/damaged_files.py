"""Copies of a store, with damage: cut off, overwritten, or with one byte changed."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path


def trials(short: int = 12, long: int = 200) -> range:
    """Return how often a random damage is tried: a few times, or often with MUNIMENT_LONG=1."""
    return range(long if os.environ.get("MUNIMENT_LONG") == "1" else short)


def copied(source: Path, target: Path) -> Path:
    """Copy a store's files, but not its shared memory, which a copy never has to have."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns("*-shm"))
    return target


def damage(folder: Path, chance: random.Random) -> str:
    """Damage one file of a store at a random place; say what was done."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size > 0)
    path = chance.choice(files)
    data = bytearray(path.read_bytes())
    place = chance.randrange(len(data))
    kind = chance.choice(("cut", "zeros", "noise", "byte"))
    if kind == "cut":
        del data[place:]
    elif kind == "byte":
        data[place] ^= chance.randrange(1, 256)
    else:
        length = min(chance.choice((16, 300, 4096, 20_000)), len(data) - place)
        data[place : place + length] = bytes(length) if kind == "zeros" else chance.randbytes(length)
    path.write_bytes(data)
    return f"{kind} at {place} of {path.name}"


def change_byte(path: Path, place: int) -> None:
    """Change one byte of a file."""
    with path.open("r+b") as file:
        file.seek(place)
        old = file.read(1)[0]
        file.seek(place)
        file.write(bytes([old ^ 0x41]))


def holds(folder: Path, needle: bytes) -> list[str]:
    """Return the names of the files of a folder that hold some bytes."""
    return sorted(path.name for path in folder.rglob("*") if path.is_file() and needle in path.read_bytes())
