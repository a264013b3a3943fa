"""The way of a hook that needs the store and finds no server: another process opens the store and answers.

Standard library only. Loaded only when it is needed, for its imports cost more than all else that the client does.
"""

from __future__ import annotations

import subprocess
import sys


def ask(store: str, hook: tuple[str, str], line: bytes, seconds: float) -> tuple[int, str, str]:
    """Return exit status, answer and what was said on stderr; status -1 where it took too long.

    Raises:
        OSError: it could not be started.
    """
    command = [sys.executable, "-m", "muniment_api", "--store", store, "hook", *hook, "--in-process"]
    try:
        done = subprocess.run(command, input=line, capture_output=True, timeout=seconds, check=False)  # noqa: S603
    except subprocess.TimeoutExpired:
        return -1, "", f"it took over {seconds:.0f} seconds"
    said = done.stderr.decode("utf-8", "replace").strip()[-300:]
    return done.returncode, done.stdout.decode("utf-8", "replace").strip(), said
