"""What a shell line runs: its simple commands, in order, each with what is around it."""

from __future__ import annotations

import pytest

from muniment.shell.commands import simple_commands
from muniment.shell.simple import Simple


def cut(line: str) -> tuple[Simple, ...]:
    """Return the commands of a line that is understood."""
    found = simple_commands(line)
    assert found is not None
    return found


def words(line: str) -> list[str]:
    """Return the words of each command, joined by blanks."""
    return [" ".join(simple.words) for simple in cut(line)]


WORDS: list[tuple[str, list[str]]] = [
    ("a 'b c' \"d\" e\\ f", ["a b c d e f"]),
    ("a | b && c || d; e & f\ng", ["a", "b", "c", "d", "e", "f", "g"]),
    ("a | b | c\nd e && f", ["a", "b", "c", "d e", "f"]),
    ("a | b | c # x\nd e && f", ["a", "b", "c", "d e", "f"]),
    ("a | b | c \\\n d && e", ["a", "b", "c d", "e"]),
    ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
    ("while a; do b; done; until c; do d; done", ["a", "b", "c", "d"]),
    ("for ((i = 0; i < 3; i++)); do a; done", ["a"]),
    ("select x in a b; do c; done", ["c"]),
    ("case $x in a | b) c ;; (*) d ;; esac", ["c", "d"]),
    ("(a; b) | c; { d; e; }", ["a", "b", "c", "d", "e"]),
    ("! a | b", ["a", "b"]),
    ("time a", ["a"]),
    ("coproc a b", ["a b"]),
    ("[[ -f x && $y =~ ^a ]] && [ -d z ]", ["[[ -f x && $y =~ ^a ]]", "[ -d z ]"]),
    ("for f in a b; do c $f; done", ["c a", "c b"]),
    ("for f in a b; do c; done", ["c"]),
    ('for f in $(ls); do c "$f"; done', ["", "c $f"]),
    ("for f in *.py; do c $f; done", ["c *.py"]),
    ("for f in a b\ndo\n  for g in 1 2; do c $f$g; done\ndone", ["c a1", "c a2", "c b1", "c b2"]),
    ("X=a; b $X ${X}/c \"$X.d\" '$X'", ["", "b a a/c a.d $X"]),
    ("X='a b'; c $X \"$X\"", ["", "c a b a b"]),
    ("X=(a b); c ${X[@]}", ["", "c a b"]),
    ("X=a; read X; b $X", ["", "read X", "b $X"]),
    ("X=a; if b; then X=c; fi; d $X", ["", "b", "", "d $X"]),
    ("X=a; for i in 1 2; do b $X; X=c; done", ["", "b $X", ""]),
    ("a && X=b && c $X; d $X", ["a", "", "c b", "d $X"]),
    ("X=a; (X=b); c $X", ["", "", "c a"]),
    ("X=$(ls); b $X", ["", "b $X"]),
    ("a $HOME/x $PWD/y", ["a ~/x ./y"]),
    ("a {b,c}.py d{1..3} '{e,f}' {g}", ["a b.py c.py d1 d2 d3 {e,f} {g}"]),
    ("f() { a $1; }; b; f c; f d", ["b", "a c", "a d"]),
    ("f() { a; }", []),
    ("function f { a \"$@\"; }\nf 'b c' d", ["a b c d"]),
    ("f() { f; }; f", ["None"]),
    ("bash -lc 'cd a && b'", ["cd a", "b"]),
    ("bash -c 'a $1' x y", ["a y"]),
    ("sh <<'EOF'\na\nb\nEOF", ["a", "b"]),
    ("eval 'a; b'", ["a", "b"]),
    ('eval "$a"', ["eval $a"]),
    ("trap 'a b' EXIT; c", ["trap a b EXIT", "c", "a b"]),
    ("env A=b timeout -s 9 60 nice -n 5 uv run pytest -x", ["pytest -x"]),
    ("sudo -u root npx -y prettier --check .", ["prettier --check ."]),
    ("uv run --with x tool.py; poetry run -m a", ["python tool.py", "python -m a"]),
    ("find . | xargs -n 1 a b", ["find .", "a b"]),
    ("ls | xargs -I{} sh -c 'a {}; b > {}.o'", ["ls", "a ${xargs}", "b"]),
    ("ls | xargs -I % a %.c", ["ls", "a ${xargs}.c"]),
    ("env -C /tmp a", ["env -C /tmp a"]),
    ("command -v a", ["command -v a"]),
    ("> f a b", ["a b"]),
    ("echo > f a b", ["echo a b"]),
    ("cat <<EOF > f | wc -l && ls\nb\nEOF\nnext", ["cat", "wc -l", "ls", "next"]),
    ("cat > f <<EOF; ls\nb\nEOF", ["cat", "ls"]),
    ("a <<A <<'B' -x\n1\nA\n2\nB\nb", ["a -x", "b"]),
    ("echo $((1 << 2)) && (( x << 1 )) && a", ["echo $((1 << 2))", "", "a"]),
    ("a # b <<EOF\nc", ["a", "c"]),
    ("a 'x <<EOF'\nb", ["a x <<EOF", "b"]),
    ("# nothing", []),
    ("", []),
]


@pytest.mark.parametrize(("line", "expected"), WORDS)
def test_a_line_is_cut_into_its_commands(line: str, expected: list[str]) -> None:
    if expected == ["None"]:
        assert simple_commands(line) is None
    else:
        assert words(line) == expected


@pytest.mark.parametrize(
    "line",
    [
        "echo 'half a character \ud800'",
        "echo 'never closed",
        "cat <<EOF\nnever closed",
        "echo $(never closed",
        "if a; then b",
        "a ) b",
        "a | | b",
        "(a",
    ],
)
def test_a_broken_line_is_not_understood(line: str) -> None:
    assert simple_commands(line) is None


def test_operators_stand_around_each_command() -> None:
    assert [(s.before, s.after) for s in cut("a | b && c; d & e")] == [
        ("", "|"),
        ("|", "&&"),
        ("&&", ";"),
        (";", "&"),
        ("&", ""),
    ]
    assert [s.grouped for s in cut("a; (b); { c; }; if d; then e; fi; ! f")] == [False, *[True] * 5]


def test_redirections_are_of_their_command_or_of_the_last_of_a_group() -> None:
    assert [(s.into, s.source) for s in cut("a < b > c 2>&1 2>> d | e &> f")] == [(("c", "d"), ("b",)), (("f",), ())]
    assert [s.into for s in cut("{ a; b; } > c; (d) > e")] == [(), ("c",), ("e",)]
    assert [(s.into, s.source) for s in cut("while a; do b; done < c > d")] == [((), ("c",)), (("d",), ())]
    assert [(s.into, s.source) for s in cut("a && b < c > d")] == [((), ()), (("d",), ("c",))]
    assert [s.fed_text for s in cut("cd x && cat > d <<'EOF' && b\ntext\nEOF")] == [None, "text\n", None]
    assert [s.fed_text for s in cut("a | b <<'EOF'\ntext\nEOF")] == [None, "text\n"]
    assert cut("a 2>/dev/null 2>&1 >&2 <&-")[0].into == ("/dev/null",)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("a <<'EOF'\nb $c `d`\nEOF", "b $c `d`\n"),
        ("a <<EOF\nb\nEOF", "b\n"),
        ("a <<-EOF\n\t\tb\n\tEOF", "b\n"),
        ("a <<EOF\nb \\$c\nEOF", "b $c\n"),
        ("X=1; a <<EOF\nb $X\nEOF", "b 1\n"),
        ("a <<EOF\nb $c\nEOF", None),
        ("a <<< 'b c'", "b c\n"),
        ('a <<< "$b"', None),
        ("a <<'EOF' 2>&1 | b\nc\nEOF", "c\n"),
    ],
)
def test_what_a_here_document_feeds_is_known_where_it_is_literal(line: str, text: str | None) -> None:
    assert next(s for s in cut(line) if s.words[:1] == ("a",)).fed_text == text


def test_what_is_in_substitutions_is_nested() -> None:
    (simple,) = cut('a "$(b c | d)" `e` <(f) > $(g)')
    assert [nested.words for nested in simple.nested] == [("g",), ("b", "c"), ("d",), ("e",), ("f",)]
    assert simple.live == (1, 2)
    assert [s.nested[0].words for s in cut('x=$(a); [ -n "$(a)" ]; export y=$(a)')] == [("a",)] * 3
    assert cut("b <<EOF\n$(a)\nEOF")[0].nested[0].words == ("a",)
    assert cut("cat <<'EOF'\n$(a)\nEOF")[0].nested == ()


def test_a_document_in_a_substitution_is_a_text() -> None:
    (simple,) = cut("git commit -m \"$(cat <<'EOF'\nDon't `a` $(b)\n\nc\nEOF\n)\"")
    assert simple.words[3] == "Don't `a` $(b)\n\nc"
    assert simple.live == ()


@pytest.mark.parametrize(
    ("line", "folder", "strays"),
    [
        ("a", None, ()),
        ("cd x && a", "x", ()),
        ("cd x; a", "x", ("",)),
        ("cd /w/x/../y\na", "/w/y", ("",)),
        ("cd x || exit 1; a", "x", ()),
        ("set -e; cd x; a", "x", ()),
        ("b && set -e; cd x; a", "x", ("",)),
        ("set -e; if cd x; then b; else a; fi", "x", ("",)),
        ("set -e; ! cd x; a", "x", ("",)),
        ("set -e; cd x && b; a", "x", ("",)),
        ("if b; then set -e; fi; cd x; a", "x", ("",)),
        ("cd x && cd y && a", "x/y", ()),
        ("cd x && b; cd .. && a", None, ("..",)),
        ("(cd x && b); a", None, ()),
        ("cd x | b; a", None, ()),
        ("cd x & a", None, ()),
        ("cd $X && a", "?", ()),
        ("X=y; cd $X && a", "y", ()),
        ("cd && a", "~", ()),
        ("cd x && cd - && a", None, ()),
        ("pushd x && popd && a", None, ()),
        ("pushd x && a", "x", ()),
        ("if b; then cd x; fi; a", "x", ("",)),
        ("while b; do cd x; done; a", "?", ("",)),
        ("f() { cd x; }; f && a", "x", ("",)),
        ("T=$(mktemp -d) && cd $T && a", "/tmp/mktemp.made", ()),
    ],
)
def test_a_command_knows_its_folder(line: str, folder: str | None, strays: tuple[str, ...]) -> None:
    last = cut(line)[-1]
    assert last.words == ("a",)
    assert last.folder == folder
    assert set(strays) <= set(last.strays)
    if not strays:
        assert last.strays == ()


def test_settings_are_those_of_the_line_and_of_prefixes() -> None:
    assert cut("A=1 B='x y' env C=2 a")[0].settings == ("A=1", "B=x y", "C=2")
    assert cut("export A=1 && a")[0].words == ("export", "A=1")


def test_a_line_too_deep_or_too_long_is_not_understood() -> None:
    assert simple_commands("$(" * 400 + "a" + ")" * 400) is None
    assert simple_commands("; ".join(["a"] * 5_000)) is None
    assert simple_commands("; ".join(["a"] * 500)) is not None
