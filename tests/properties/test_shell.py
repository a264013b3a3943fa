"""Shell lines of any shape: cutting them never fails, and says the same twice."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from muniment.derive.effects import effects_of
from muniment.derive.runs import runs_of
from muniment.importers.exit_status import own_status
from muniment.shell.commands import simple_commands

PIECES = st.sampled_from(
    (
        *(
            "cd",
            "ls",
            "pytest",
            "echo",
            "rm",
            "x",
            "a.py",
            "-n",
            "$X",
            '"$X"',
            "'a b'",
            "${X:-y}",
            "$((1+2))",
            "$(",
            ")",
        ),
        *(
            "(",
            "{",
            "}",
            ";",
            "&&",
            "||",
            "|",
            "&",
            "\n",
            ">",
            ">>",
            "<",
            "<<EOF\n",
            "EOF\n",
            "<<'A'\n",
            "A\n",
            "<<<",
            "#",
        ),
        *("if", "then", "else", "fi", "for", "f", "in", "do", "done", "while", "case", "esac", ";;", "f()", "function"),
        *(
            "[[",
            "]]",
            "[",
            "]",
            "!",
            "`",
            "'",
            '"',
            "\\",
            "é",
            "=",
            "A=1",
            "set -e",
            "bash -c",
            "eval",
            "trap",
            "xargs -I{}",
        ),
        *(
            "python -c",
            "sed -i s/x/y/",
            "git checkout",
            "find . -exec",
            "{}",
            "+",
            "*",
            "?",
            "~",
            "{a,b}",
            "$1",
            "$@",
            "<(",
        ),
    )
)
LINES = (
    st.lists(PIECES, max_size=14).map(" ".join)
    | st.text(st.characters(), max_size=60)
    | st.lists(PIECES, max_size=10).map("".join)
)


@given(LINES)
def test_any_line_is_cut_or_not_understood(line: str) -> None:
    found = simple_commands(line)
    assert found == simple_commands.__wrapped__(line)
    assert isinstance(own_status(line), bool)
    runs_of(f"pytest\n{line}")
    effect = effects_of(line, "/w", "/w")
    assert effect.kind == "unknown" or found is not None
    assert set(effect.aside) <= set(effect.paths)


@given(LINES, LINES)
def test_a_line_has_at_least_the_effect_of_each_of_its_parts(left: str, right: str) -> None:
    order = ("none", "outside", "writes", "unknown")
    both = effects_of(f"{left}\n{right}\n", "/w", "/w")
    if simple_commands(f"{left}\n") is not None and both.kind != "unknown":
        assert order.index(both.kind) >= order.index(effects_of(f"{left}\n", "/w", "/w").kind)
