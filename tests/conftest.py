"""Fixtures that all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("local", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("local"), derandomize=True)
settings.register_profile("long", settings.get_profile("local"), max_examples=1000)
settings.load_profile(
    "long" if os.environ.get("MUNIMENT_LONG") else "ci" if os.environ.get("CI") == "true" else "local"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--engine`: the engine under test. One process can load only one."""
    parser.addoption("--engine", choices=("kuzu", "ladybug"), default="kuzu", help="the engine that tests use")


@pytest.fixture(scope="session")
def engine(request: pytest.FixtureRequest) -> str:
    """The engine under test."""
    return str(request.config.getoption("--engine"))


@pytest.fixture(scope="session")
def sessions() -> Path:
    """The folder of recorded sessions; without it the test is skipped, in CI it fails."""
    folder = os.environ.get("MUNIMENT_SESSIONS")
    if folder:
        return Path(folder)
    if os.environ.get("CI") == "true":
        pytest.fail("MUNIMENT_SESSIONS is not set: the recorded sessions are needed in CI")
    pytest.skip("set MUNIMENT_SESSIONS to the folder of recorded sessions to run this test")
