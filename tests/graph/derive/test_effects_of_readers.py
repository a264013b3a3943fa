"""Tools that only read, or only run others, where an option makes them write: never narrower than what they do."""

from __future__ import annotations

import pytest

from muniment.derive.effects import effects_of

ROOT = "/w/app"


def effect(command: str) -> tuple[str, tuple[str, ...]]:
    found = effects_of(command, ROOT, ROOT)
    return found.kind, tuple(path.removeprefix(f"{ROOT}/") for path in found.paths)


@pytest.mark.parametrize(
    "command",
    [
        "env -S 'rm x'", "env -iS 'rm x'", "env --split-string='rm x'", "env -C sub touch x", "env --chdir=sub rm x",
        "xargs -o rm < list", "man -P 'touch x' ls", "jobs -x rm a", "sort --compress-program=./squeeze a",
        "tar tf a.tar --checkpoint=1 --checkpoint-action=exec=./x", "tar -xf a.tar --to-command=./x",
        "tar -I ./x -tf a.tar",
    ],
)  # fmt: skip
def test_what_runs_something_that_is_hidden_in_an_option_is_unknown(command: str) -> None:
    assert effect(command)[0] == "unknown"


@pytest.mark.parametrize(
    "command",
    ["env", "env -0", "env A=b", "ls | xargs", "ls | xargs -n 1", "man ls", "jobs -l", "less a", "history 20",
     "tar -tf a.tar", "sort a", "env A=b ls", "ls | xargs cat", "ls 2>&1", "ls >&2"],
)  # fmt: skip
def test_their_controls_only_read(command: str) -> None:
    assert effect(command) == ("none", ())


@pytest.mark.parametrize(
    ("command", "paths"),
    [
        ("touch 1", ("1",)),
        ("for i in 1 2; do touch $i; done", ("1", "2")),
        ("echo x > 1", ("1",)),
        ("ls 2>1", ("1",)),
        ("mkdir 3 && cp a 4", ("3", "4")),
        ("history -w kept.txt", ("kept.txt",)),
        ("ls | less -o copy.txt", ("copy.txt",)),
        ("ls | less --log-file=copy.txt", ("copy.txt",)),
        ("curl http://x/1 -o a http://x/2 -o b", ("a", "b")),
        ("curl http://x/1 --output=a", ("a",)),
        ("pytest --basetemp=scratch", ("scratch",)),
        ("pytest --cov=app --cov-report html:shown --cov-report=xml", (".coverage", "shown", "coverage.xml")),
    ],
)
def test_what_is_named_is_written(command: str, paths: tuple[str, ...]) -> None:
    assert effect(command) == ("writes", paths)
