"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def sessions() -> Path:
    """The folder of recorded sessions; without it the test is skipped, in CI it fails."""
    folder = os.environ.get("MUNIMENT_SESSIONS")
    if folder:
        return Path(folder)
    if os.environ.get("CI") == "true":
        pytest.fail("MUNIMENT_SESSIONS is not set: the recorded sessions are needed in CI")
    pytest.skip("set MUNIMENT_SESSIONS to the folder of recorded sessions to run this test")
