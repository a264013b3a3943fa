"""Fixtures that all tests share. Helpers in `tests/support` are imported as top-level modules."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

SUPPORT = str(Path(__file__).parent / "support")
if SUPPORT not in sys.path:
    sys.path.insert(0, SUPPORT)


@pytest.fixture(scope="session")
def sessions() -> Path:
    """The folder of recorded sessions; without it the test is skipped, in CI it fails."""
    folder = os.environ.get("MUNIMENT_SESSIONS")
    if folder:
        return Path(folder)
    if os.environ.get("CI") == "true":
        pytest.fail("MUNIMENT_SESSIONS is not set: the recorded sessions are needed in CI")
    pytest.skip("set MUNIMENT_SESSIONS to the folder of recorded sessions to run this test")
