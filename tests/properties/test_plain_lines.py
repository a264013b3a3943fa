"""Plain lines of the shell: what is read of them without the grammar is what the grammar says."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from muniment.derive.reads.script import steps_of
from muniment.shell.commands import simple_commands
from muniment.shell.plain import plain_words


def words(text: str) -> list[str]:
    return text.split()


HEADS = words("""
    cat sed rg git cd bash sh eval trap xargs env timeout uv npx find test exec command source . python3 make
    sudo set alias read ./run ~/run if for time export unset
""")
PARTS = words("""
    -n 5 -c x=1 --a=b a.py src/*.py ?x ~ ~/x +x @ a:b %1 - -- .. -lc -I = a= a,b if in do 1,5p a+=b HEAD~1 a#b é
    cat $x {a,b} && | ; > <<X ( # ! [ `x` "$x" & '' "" 'a' a'b'"c" "{a,b}" "x!y" "<<EOF" '#x' "a;b|c"
""")
PARTS += ["'a b'", '"c d"', "'$x `y`'", "'a\nb'", "a\\ b", "\n"]


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(HEADS + PARTS), st.lists(st.sampled_from(PARTS), max_size=5))
def test_a_plain_line_is_read_as_the_grammar_reads_it(head: str, rest: list[str]) -> None:
    line = " ".join([head, *rest])
    if plain_words(line) is not None:
        by_grammar = f"{line} "
        assert plain_words(by_grammar) is None
        assert simple_commands(line) == simple_commands(by_grammar)
        assert steps_of(line) == steps_of(by_grammar)


def test_words_of_a_plain_line_have_no_quotes() -> None:
    assert plain_words("sed -n '1,5p' a\"b c\".txt ''") == ("sed", "-n", "1,5p", "ab c.txt", "")


def test_what_the_shell_makes_something_of_is_not_plain() -> None:
    lines = [
        "cat a; b",
        "cat $x",
        "a=1 b",
        "export a=1",
        "cat {a,b}",
        "cat a\\ b",
        'cat "$x"',
        "cat a > b",
        "cat 'a",
        "",
    ]
    assert [line for line in lines if plain_words(line) is not None] == []
