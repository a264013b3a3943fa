"""What the repository must not hold, and what must agree across its files."""

from __future__ import annotations

import re
import tomllib

import muniment
from muniment.closeout.reports.tool import VERSION
from tests.structure.source_tree import ROOT, tracked_texts

MACHINE = [
    *("/work" + tail for tail in ("/main", "/shared")),
    *("/opt" + tail for tail in ("/wheels", "/pypi")),
    "/" + "root/",
    *(host + ".org" for host in ("pypi", "files.pythonhosted")),
    *("--" + option for option in ("index-url", "extra-index-url", "find-links", "trusted-host")),
]
"""Places of one machine, and hosts of package registries; put together so that this file does not hold them."""


def test_no_file_names_a_place_of_one_machine_or_a_registry() -> None:
    found = [f"{path}: {word}" for path, text in tracked_texts() for word in MACHINE if word in text]
    assert not found


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == muniment.__version__ == VERSION


def test_every_dependency_is_in_the_lock_with_hashes() -> None:
    described = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [*described["project"]["dependencies"], *described["dependency-groups"]["dev"]]
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    pinned = re.findall(r"^([a-z0-9-]+)==[^\\\n]*\\\n\s+--hash=sha256:", lock, re.MULTILINE)
    names = {match[0] for requirement in wanted if (match := re.match(r"[a-z0-9-]+", requirement))}
    assert names <= set(pinned)


def test_the_changelog_has_a_section_for_what_is_coming() -> None:
    assert "## [Unreleased]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
