"""A tiny distribution with rules of its own, built and unpacked as an installer does; nothing is downloaded."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "house-rules"
version = "1.0"

[project.entry-points."muniment.rules"]
house = "house_rules:RULES"
{more}

[tool.hatch.build.targets.wheel]
packages = ["house_rules"]
"""

RULES = """
from muniment.closeout.rules import Noticed, Rule


def short(inquiry):
    for message in inquiry.snapshot.of_kind(Message):
        if message.by == "user" and len(inquiry.evidence.text(message.text)) < 1000:
            yield Noticed(message=f"{message.handle} is short", ids=(message.id,))


def broken(inquiry):
    yield Noticed(message="before it breaks")
    raise LookupError("nobody is home")


def odd(inquiry):
    return ["not a Noticed"]


def quits(inquiry):
    raise SystemExit(0)


from muniment.model.nodes import Message

made = dict(severity="warning", title="t", why="w", fix="f", tags=("house",))
RULES = (
    Rule(id="short-prompt", check=short, **made),
    Rule(id="broken-rule", check=broken, **made),
    Rule(id="odd-rule", check=odd, **made),
    Rule(id="quitting-rule", check=quits, **made),
)
"""


def install(folder: Path, more: str = "", rules: str = RULES) -> Path:
    """Build the distribution, put it into `folder`/site, and return that folder; `more` are further entry points."""
    source, site = folder / "source", folder / "site"
    (source / "house_rules").mkdir(parents=True)
    (source / "pyproject.toml").write_text(PROJECT.replace("{more}", more), encoding="utf-8")
    (source / "house_rules" / "__init__.py").write_text(rules, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=source, check=True, capture_output=True,
    )  # fmt: skip
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(site)
    return site


def environment(site: Path) -> dict[str, str]:
    """Return an environment of a process in which the distribution is installed."""
    path = os.pathsep.join([str(site), *(entry for entry in sys.path if entry)])
    return {**os.environ, "PYTHONPATH": path, "NO_COLOR": "1"}
