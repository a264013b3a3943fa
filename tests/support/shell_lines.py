"""Random files and random command lines that read them, for tests that run the commands for real."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

ODD_LINES = [
    "",
    "",
    "---",
    "x",
    "12:foo",
    "3-bar",
    "     3\tnumbered",
    "a.txt:4:hit",
    "==> a.txt <==",
    "  in",
    "$x",
    "é",
]
NAMES = ["a.txt", "b.txt", "c.txt", "src/d-3-e.txt"]
BETWEEN = [" && ", "; ", "\n", " && echo --- && ", "; echo; ", "; printf '\\n== %s ==\\n' b; "]

# {f} is a file, {n} a number, {a} and {b} two in order, {c} one behind them, {p} a pattern.
SOURCES = """
cat {f}
cat < {f}
cat -n {f}
nl -ba {f}
nl {f}
cat -b {f}
tac {f}
head {f}
head -n {n} {f}
head -{n} {f}
head -n -{n} {f}
tail {f}
tail -n {n} {f}
tail -n +{n} {f}
tail -{n} {f}
awk 'NR>={a} && NR<={b}' {f}
awk 'NR=={n}' {f}
awk 'NR>{n}' {f}
awk 'NR=={a},NR=={b}' {f}
awk 'NR<={n} {{print NR": "$0}}' {f}
awk '{{printf "%4d  %s\\n", NR, $0}}' {f}
awk 'NR>{b}{{exit}} NR>={a}' {f}
awk 'NR>={a}; NR=={b}{{exit}}' {f}
awk 'NR==1; NR=={c}' {f}
python3 -c 'print(open("{f}").read())'
python3 -c 'print(open("{f}").read(), end="")'
python3 -c 'for i, l in enumerate(open("{f}"), 1): print(i, l, end="")'
python3 -c 'print("\\n".join(open("{f}").read().split("\\n")[{a}:{b}]))'
python3 -c 'print("".join(open("{f}").readlines()[{a}:{b}]), end="")'
cat {f} a.txt
head -n {n} {f} b.txt
tail -n {n} {f} b.txt
cat missing {f}
cat {f} missing 2>/dev/null
cat missing 2>/dev/null
wc -l {f}
ls
"""
SCRIPTS = """
-n '{a},{b}p'
-n '{a}p'
-n '{a},$p'
-n '$p'
-n '{a},+{b}p'
-n '{a}~3p'
-n '{a},{b}p;{c},{c}p'
-n -e {a}p -e {c}p
-n '{a},{b}p;{b}q'
-n '{a},{b}!p'
'{a},{b}d'
'{a},{b}!d'
'{b}q'
'{a}d;{b}q'
'$d'
'$!d'
-n '/line/p'
's/line/LINE/'
-n '{a},{b}{{p}}'
-n '{b},{a}p'
-n '{a},/x/p'
'{b}Q'
-n '{a}{{p;q}}'
'{a},{b}p'
-n '{a},~4p'
-n '{b}q;{a},{b}p'
"""
SEARCHES = """
grep -n {p} {f}
grep -n -C 1 {p} {f}
grep -nA2 {p} {f}
grep -rn {p} .
grep -rn -B1 {p} src
grep -n {p} a.txt b.txt {f}
grep {p} {f}
grep -c {p} {f}
grep -n -m 2 {p} {f}
grep -on {p} {f}
grep -Hn {p} {f}
grep -nv {p} {f}
grep -hn {p} {f} a.txt
"""
FILTERS = """
head -n {n}
tail -n {n}
tail -n +{n}
sed -n '{a},{b}p'
sed '{a}d'
cat
cat -n
nl -ba
nl
awk 'NR>={a}'
awk 'NR<={n} {{print NR":"$0}}'
grep -n line
grep line
grep -v x
sort
tac
cut -c1-5
uniq
tee out.log
wc -l
tr a-z A-Z
"""


def random_files(rng: random.Random, folder: Path) -> dict[str, str]:
    """Write a few files into a folder; some end without a newline, some are empty."""
    found: dict[str, str] = {}
    for name in NAMES:
        count = rng.choice([0, 1, 2, 5, 12, 12, 30])
        lines = [_line(rng, f"{name} line {number}") for number in range(count)]
        text = "\n".join(lines) + ("\n" if lines and rng.random() < 0.75 else "")
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
        found[name] = text
    return found


def _line(rng: random.Random, start: str) -> str:
    return rng.choice(ODD_LINES) if rng.random() < 0.4 else f"{start} {rng.random():.4f}"


def random_line(rng: random.Random) -> str:
    """Return a command line of one to three reads."""
    if rng.random() < 0.1:
        return f"for f in a.txt b.txt; do {rng.choice(['echo == $f; ', ''])}{_step(rng, '$f')}; done"
    line = _step(rng)
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        line += rng.choice(BETWEEN) + _step(rng)
    return f"({line})" if rng.random() < 0.05 else line


def _step(rng: random.Random, name: str | None = None) -> str:
    table = rng.choices([SOURCES, SCRIPTS, SEARCHES], [60, 25, 15])[0]
    step = ("sed " if table is SCRIPTS else "") + _filled(rng, table, name) + (" {f}" if table is SCRIPTS else "")
    step = step.replace("{f}", name or rng.choice(NAMES))
    for _ in range(rng.choice([0, 0, 0, 1, 1, 2])):
        step += " | " + _filled(rng, FILTERS, name)
    return step


def _filled(rng: random.Random, table: str, name: str | None) -> str:
    low, high = sorted(rng.choice([1, 2, 3, 5, 8, 12, 20]) for _ in range(2))
    return rng.choice(table.strip().split("\n")).format(
        f=name or rng.choice(NAMES), n=high, a=low, b=high, c=high + 2, p=rng.choice(["line", "x", "foo", "."])
    )


def run(line: str, folder: Path) -> tuple[int, str]:
    """Run a line in a folder: exit status, and output with errors in it."""
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=20, check=False
    )
    return done.returncode, done.stdout.decode("utf-8", "surrogateescape")


def _numbers(*spans: tuple[int, int]) -> list[int]:
    return [number for first, last in spans for number in range(first, last + 1)]


ALONE: list[tuple[str, list[int]]] = [
    ("cat a.txt", _numbers((1, 30))),
    ("cat < a.txt", _numbers((1, 30))),
    ("cat -n a.txt", _numbers((1, 30))),
    ("nl -ba a.txt", _numbers((1, 30))),
    ("nl a.txt", _numbers((1, 30))),
    ("cat -b a.txt | head -5", _numbers((1, 5))),
    ("head -n 7 a.txt", _numbers((1, 7))),
    ("head -n -7 a.txt", _numbers((1, 23))),
    ("tail -n +25 a.txt", _numbers((25, 30))),
    ("head -n 20 a.txt | tail -n +15", _numbers((15, 20))),
    ("sed -n '5,9p' a.txt", _numbers((5, 9))),
    ("sed -n '5,9p;20,22p' a.txt", _numbers((5, 9), (20, 22))),
    ("sed -n '25,99p' a.txt", _numbers((25, 30))),
    ("sed '5,29d' a.txt", _numbers((1, 4), (30, 30))),
    ("nl -ba a.txt | sed -n '10,12p'", _numbers((10, 12))),
    ("sed -n '10,19p' a.txt | nl -ba | tail -n 3", _numbers((17, 19))),
    ("awk 'NR>=5 && NR<=9' a.txt", _numbers((5, 9))),
    ("awk 'NR>=5 && NR<=9 {print NR\": \"$0}' a.txt", _numbers((5, 9))),
    ("grep -n 'line 2' a.txt", [2, *_numbers((21, 23), (25, 27), (29, 29))]),
    ("grep -n -A1 'line 22' a.txt", [22, 23]),
    ("cat a.txt | grep -n 'line 1$'", [1]),
    ("sed -n '10,20p' a.txt | grep -n 'line 15'", [15]),
    ("sed -n '1,5p' a.txt && sed -n '11,15p' a.txt", _numbers((1, 5), (11, 15))),
    ("sed -n '1,5p' a.txt && echo '-----' && sed -n '28,40p' a.txt", _numbers((1, 5), (28, 30))),
    ('for n in 1,3 7,9; do sed -n "${n}p" a.txt; done', _numbers((1, 3), (7, 9))),
    ("bash -c \"sed -n '5,9p' a.txt\"", _numbers((5, 9))),
    ("python3 -c \"print(open('a.txt').read())\"", _numbers((1, 30))),
    ("python3 -c \"print(''.join(open('a.txt').readlines()[4:9]), end='')\"", _numbers((5, 9))),
]
"""Commands that read lines of a file of 30 lines, every fourth of which is empty, and the lines that they show."""
