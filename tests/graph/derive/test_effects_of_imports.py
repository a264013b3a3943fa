"""Imports of a project's own modules run what stands at their top; builds of Go leave at most a program behind."""

from __future__ import annotations

import pytest

from muniment.derive.effects import Effect, effects_of

TEXTS = {
    "/w/script.py": "import os\nos.remove('x')\n",
    "/w/lib.py": "import os\n\n\ndef f():\n    os.remove('x')\n\n\nX = 1\nif __name__ == '__main__':\n    f()\n",
    "/w/auto.py": "def go():\n    open('y', 'w').write('a')\n\n\ngo()\n",
    "/w/app/__init__.py": "",
    "/w/app/models.py": "import script\n\n\nclass A:\n    x = 1\n",
    "/w/broken.py": "def (",
    "/w/ring.py": "import ring\n",
    "/w/go.mod": "module ex.com/a/rate/v2\n\ngo 1.22\n",
}


def effect(line: str) -> Effect:
    return effects_of(line, "/w", "/w", text_of=TEXTS.get)


@pytest.mark.parametrize(
    ("line", "kind", "paths"),
    [
        ('python -c "import script"', "writes", ("/w/x",)),
        ("python - <<'P'\nimport script\nP", "writes", ("/w/x",)),
        ('python -c "import auto"', "writes", ("/w/y",)),
        ('python -c "from app.models import A"', "writes", ("/w/x",)),
        ('python -c "import broken"', "unknown", ()),
        ('python -c "import fix_data"', "unknown", ()),
        ('python -c "import lib"', "none", ()),
        ('python -c "import ring"', "none", ()),
        ('python -c "import json, unseen; print(unseen)"', "none", ()),
        ('python -c "import django; print(django.VERSION)"', "none", ()),
    ],
)
def test_an_import_runs_the_top_of_a_module(line: str, kind: str, paths: tuple[str, ...]) -> None:
    found = effect(line)
    assert (found.kind, found.paths) == (kind, paths)


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("go build", ("/w/rate",)),
        ("go build .", ("/w/rate",)),
        ("go build ./cmd/x", ("/w/x",)),
        ("go build a.go b.go", ("/w/a",)),
        ("go build ./a ./b", ()),
        ("go build ./...", ()),
        ("go build -o /dev/null ./cmd/x", ()),
    ],
)
def test_a_go_build_leaves_a_program_that_nobody_keeps_or_nothing(line: str, left: tuple[str, ...]) -> None:
    found = effect(line)
    assert (found.paths, found.aside, found.named) == (left, left, True)


def test_a_go_build_into_a_place_that_it_names_writes_there() -> None:
    assert effect("go build -o bin/x ./cmd/x").paths == ("/w/bin/x",)
