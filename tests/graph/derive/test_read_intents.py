"""What shell commands mean to read: one row a command, with its reads in one form.

`read f 3-7,9-` is lines 3 to 7 and from 9 on; `-20-` the last twenty; `@HEAD` a revision; `?` a path nobody knows.
"""

from __future__ import annotations

import pytest

from muniment.derive.read_intents import ReadIntent, graded, read_intents
from muniment.derive.reads.output import Sighting
from muniment.derive.reads.spans import Span

TABLE: list[tuple[str, str]] = [
    # files shown whole
    ("cat notes.md", "read notes.md 1-"),
    ("cat < notes.md", "read notes.md 1-"),
    ("cat a.go b.go", "read a.go 1-; read b.go 1-"),
    ("cat -n a.go", "read a.go 1-"),
    ("cat -b a.go", "read a.go 1-"),
    ("cat -A a.go", "unknown a.go"),
    ("cat -s a.go", "unknown a.go"),
    ("nl a.go", "read a.go 1-"),
    ("nl -ba a.go", "read a.go 1-"),
    ("nl -b a -w4 -s': ' a.go", "read a.go 1-"),
    ("tac a.go", "read a.go 1-"),
    ("less a.go", "read a.go 1-"),
    ("less +40 a.go", "read a.go 1-"),
    ("more a.go", "unknown a.go"),
    ("bat a.go", "read a.go 1-"),
    ("bat -p --paging=never a.go", "read a.go 1-"),
    ("batcat -n a.go", "read a.go 1-"),
    ("bat -r 10:20 a.go", "read a.go 10-20"),
    ("bat -r :20 a.go", "read a.go 1-20"),
    ("bat --line-range 10: a.go", "read a.go 10-"),
    ("bat -r 10:+5 a.go", "read a.go 10-15"),
    ("tee copy.txt < a.go", "read a.go 1-"),
    ("cat -- -odd.txt", "read -odd.txt 1-"),
    ("cat 'with space.txt'", "read with space.txt 1-"),
    ("cat src/\\$id.tsx", "read src/$id.tsx 1-"),
    ("cat 'app/[slug]/page.tsx'", "read app/[slug]/page.tsx 1-"),
    ("cat ./a.go", "read a.go 1-"),
    ("cat ../b/a.go", "read ../b/a.go 1-"),
    ("cat ~/notes", "read ~/notes 1-"),
    ("cat a.{go,mod}", "read a.go 1-; read a.mod 1-"),
    # head, tail
    ("head a.go", "read a.go 1-10"),
    ("head -n 25 a.go", "read a.go 1-25"),
    ("head -n25 a.go", "read a.go 1-25"),
    ("head -25 a.go", "read a.go 1-25"),
    ("head --lines=25 a.go", "read a.go 1-25"),
    ("head --lines 25 a.go", "read a.go 1-25"),
    ("head -n -3 a.go", "read a.go 1--4"),
    ("head -c 200 a.go", "read a.go bytes"),
    ("head -2 a.go b.go", "read a.go 1-2; read b.go 1-2"),
    ("head -q -n 2 a.go b.go", "read a.go 1-2; read b.go 1-2"),
    ("tail a.go", "read a.go -10-"),
    ("tail -n 7 a.go", "read a.go -7-"),
    ("tail -7 a.go", "read a.go -7-"),
    ("tail -n +7 a.go", "read a.go 7-"),
    ("tail +7 a.go", "read a.go 7-"),
    ("tail -c 100 a.go", "read a.go bytes"),
    ("tail -f app.log", "unknown app.log"),
    # sed
    ("sed -n '3,7p' a.go", "read a.go 3-7"),
    ('sed -n "3,7p" a.go', "read a.go 3-7"),
    ("sed -n 3,7p a.go", "read a.go 3-7"),
    ("sed -n '5p' a.go", "read a.go 5-5"),
    ("sed -n '5,$p' a.go", "read a.go 5-"),
    ('sed -n "5,\\$p" a.go', "read a.go 5-"),
    ("sed -n '$p' a.go", "read a.go -1--1"),
    ("sed -n '5,+3p' a.go", "read a.go 5-8"),
    ("sed -n '5,~4p' a.go", "read a.go 5-8"),
    ("sed -n '1~3p' a.go", "read a.go 1-/3"),
    ("sed -n '0~2p' a.go", "read a.go 2-/2"),
    ("sed -n '3,7p;12,14p' a.go", "read a.go 3-7,12-14"),
    ("sed -n -e 3,7p -e 12,14p a.go", "read a.go 3-7,12-14"),
    ("sed -n '3,7p;9q' a.go", "read a.go 3-7"),
    ("sed -n '3,9p;7q' a.go", "read a.go 3-7"),
    ("sed -n '3,7{p}' a.go", "read a.go 3-7"),
    ("sed -n '7{p;q}' a.go", "read a.go 7-7"),
    ("sed -n '7,3p' a.go", "read a.go 7-7"),
    ("sed --quiet '3,7p' a.go", "read a.go 3-7"),
    ("sed -n '3,7!p' a.go", "read a.go 1-2,8-"),
    ("sed '3,7!d' a.go", "read a.go 3-7"),
    ("sed '3,7d' a.go", "read a.go 1-2,8-"),
    ("sed '9q' a.go", "read a.go 1-9"),
    ("sed 9Q a.go", "read a.go 1-8"),
    ("sed '$d' a.go", "read a.go 1--2"),
    ("sed '3d;9q' a.go", "read a.go 1-2,4-9"),
    ("sed -n '/func/,/^}/p' a.go", "read a.go"),
    ("sed -n '/func/p' a.go", "read a.go"),
    ("sed -n '3,/x/p' a.go", "read a.go"),
    ("sed -n '1,5p;3,8p' a.go", "unknown a.go"),
    ("sed 's/a/b/' a.go", "unknown a.go"),
    ("sed -n 's/a/b/p' a.go", "unknown a.go"),
    ("sed -n '=' a.go", "unknown a.go"),
    ("sed -i 's/a/b/' a.go", ""),
    ("sed -n '3,7p' a.go b.go", "unknown a.go; unknown b.go"),
    ("sed -s -n '3,7p' a.go b.go", "read a.go 3-7; read b.go 3-7"),
    ('sed -n "${from},${to}p" a.go', "unknown a.go"),
    ('from=3; to=7; sed -n "${from},${to}p" a.go', "read a.go 3-7"),
    ("sed -n '3,7p' \"$file\"", "unknown ?"),
    # awk
    ("awk 'NR>=3 && NR<=7' a.go", "read a.go 3-7"),
    ("awk 'NR>=3&&NR<=7{print}' a.go", "read a.go 3-7"),
    ("awk '3<=NR && 7>=NR' a.go", "read a.go 3-7"),
    ("awk 'NR==3,NR==7' a.go", "read a.go 3-7"),
    ("awk 'NR==5' a.go", "read a.go 5-5"),
    ("awk 'NR==5 || NR==9' a.go", "read a.go 5-5,9-9"),
    ("awk 'NR>5' a.go", "read a.go 6-"),
    ("awk 'NR<5' a.go", "read a.go 1-4"),
    ("awk 'FNR>=3 && FNR<=7 {print FNR\": \"$0}' a.go", "read a.go 3-7"),
    ("awk '{printf \"%5d  %s\\n\", NR, $0}' a.go", "read a.go 1-"),
    ("awk -v s=3 -v e=7 'NR>=s && NR<=e' a.go", "read a.go 3-7"),
    ("awk 'NR>7{exit} NR>=3' a.go", "read a.go 3-7"),
    ("awk 'NR>=3; NR==7{exit}' a.go", "read a.go 3-7"),
    ("awk '/func/' a.go", "read a.go"),
    ("awk '{print $1}' a.go", "unknown a.go"),
    ("awk 1 a.go", "read a.go 1-"),
    # pipes
    ("nl -ba a.go | sed -n '3,7p'", "read a.go 3-7"),
    ("cat a.go | head -20", "read a.go 1-20"),
    ("head -n 50 a.go | tail -n +20", "read a.go 20-50"),
    ("head -n 50 a.go | tail -n 10", "read a.go"),
    ("tail -n +20 a.go | head -n 5", "read a.go 20-24"),
    ("sed -n '100,200p' a.go | nl -ba", "read a.go 100-200"),
    ("sed -n '100,200p' a.go | sed -n '5,9p'", "read a.go 104-108"),
    ("cat -n a.go | sed -n '3,7p' | cat", "read a.go 3-7"),
    ("cat a.go | grep func", "read a.go"),
    ("cat a.go | grep -n func", "search a.go ~func"),
    ("cat a.go | grep -A 4 func", "search a.go ~func"),
    ("git show v2:a.go | grep -C 2 func", "search a.go@v2 ~func"),
    ("cat a.go b.go | grep -A 4 func", "unknown a.go; unknown b.go"),
    ("grep -n func a.go | grep -B 1 main", "search a.go ~func"),
    ("find src -name '*.go' | head -n 5", "list src"),
    ("ls src | grep test | tail -2", "list src"),
    ("ls src | tr a-z A-Z", "unknown src"),
    ("git log --oneline -- a.go | head -n 3", "metadata a.go@HEAD"),
    ("cat a.go | sort", "unknown a.go"),
    ("cat a.go | tr a-z A-Z | head -3", "unknown a.go"),
    ("cat a.go | wc -l", "metadata a.go"),
    ("cat a.go | tee copy.go", "read a.go 1-"),
    ("sort a.go | uniq -c", "unknown a.go"),
    ("cut -d: -f1 a.txt", "unknown a.txt"),
    ("jq '.scripts' package.json", "unknown package.json"),
    ('while read -r line; do echo "$line"; done < a.txt', "unknown a.txt"),
    # several commands
    ("cat a.go && sed -n '3,7p' b.go", "read a.go 1-; read b.go 3-7"),
    ("cat a.go; cat b.go", "read a.go 1-; read b.go 1-"),
    ("cd src && cat a.go", "read src/a.go 1-"),
    ("cd /srv/app && cat a.go", "read /srv/app/a.go 1-"),
    ("cd src && cd ../lib && cat a.go", "read lib/a.go 1-"),
    ("(cd src && cat a.go); cat b.go", "read src/a.go 1-; read b.go 1-"),
    ('cd "$dir" && cat a.go', "unknown ?"),
    ("for f in a.go b.go; do sed -n '1,4p' $f; done", "read a.go 1-4; read b.go 1-4"),
    ('for f in a b; do echo "== $f"; cat "$f.go"; done', "read a.go 1-; read b.go 1-"),
    ("for f in *.go; do cat $f; done", "unknown *.go"),
    ("for f in *.md; do grep -n foo $f; done", "unknown *.md"),
    ('for f in src/*.go; do head -5 "$f"; done', "unknown src/*.go"),
    ("for f in *.go; do mv $f x; done", ""),
    ("for f in *.go; do echo $f; done", ""),
    ("test -f a.go && cat a.go || true", "read a.go 1-"),
    ("if [ -f a.go ]; then head -3 a.go; fi", "read a.go 1-3"),
    ("bash -lc \"sed -n '3,7p' a.go\"", "read a.go 3-7"),
    ("timeout 5 cat a.go", "read a.go 1-"),
    ("sudo cat /etc/hosts", "read /etc/hosts 1-"),
    ("cat a.go > b.go", "unknown a.go"),
    ("grep -n func a.go > hits.txt", "unknown a.go"),
    ("git diff a.go > a.patch", "unknown a.go"),
    ("git commit -m \"$(cat <<'EOF'\ntitle\nEOF\n)\"", ""),
    ('gh pr create --body "$(cd notes && cat - a.md <<< text)"', "unknown notes/a.md"),
    ('echo "$(cat a.go)"', "unknown a.go"),
    ("diff <(sort a.txt) b.txt", "diff /dev/fd/63; diff b.txt; unknown a.txt"),
    ("cat *.go", "unknown *.go"),
    ("cat $(git ls-files)", "unknown ?; unknown ."),
    ("find . -name '*.go' | xargs cat", "list ."),
    ("cat 'never closed", "unknown ?"),
    # searches
    ("rg -n foo src", "search src ~foo"),
    ("rg foo", "search . ~foo"),
    ("rg -n -C 3 -g '*.go' 'foo|bar' src lib", "search src ~foo|bar; search lib ~foo|bar"),
    ("rg -l foo src", "search src ~foo"),
    ("rg --files src", "list src"),
    ("rg -n -e foo -e bar src", "search src ~bar"),
    ("grep -n foo a.go", "search a.go ~foo"),
    ("grep -rn foo .", "search . ~foo"),
    ("grep -rn --include='*.go' foo src", "search src ~foo"),
    ("grep -A 3 -n foo a.go", "search a.go ~foo"),
    ("grep -c foo a.go", "search a.go ~foo"),
    ("grep -q foo a.go", "search a.go ~foo"),
    ("grep -o foo a.go", "search a.go ~foo"),
    ("grep -E 'a|b' a.go b.go", "search a.go ~a|b; search b.go ~a|b"),
    ("ag foo src", "search src ~foo"),
    ("ack foo", "search . ~foo"),
    ("git grep -n foo", "search . ~foo"),
    ("git grep -n foo -- src", "search src ~foo"),
    # git
    ("git show HEAD:src/a.go", "read src/a.go@HEAD 1-"),
    ("git show main:src/a.go | sed -n '3,7p'", "read src/a.go@main 3-7"),
    ("git cat-file -p HEAD~2:a.go", "read a.go@HEAD~2 1-"),
    ("git show :a.go", "read a.go@index 1-"),
    ("git show HEAD", "diff .@HEAD"),
    ("git diff", "diff ."),
    ("git diff -- a.go", "diff a.go"),
    ("git diff HEAD a.go", "diff a.go"),
    ("git diff --cached", "diff .@index"),
    ("git diff main..HEAD -- a.go", "diff a.go@HEAD"),
    ("git diff --stat", ""),
    ("git log -p -3 -- a.go", "diff a.go@"),
    ("git log --oneline -5", ""),
    ("git blame a.go", "read a.go 1-"),
    ("git blame -L 3,7 a.go", "read a.go 3-7"),
    ("git blame -L 3,+5 a.go", "read a.go 3-7"),
    ("git blame -L :name a.go", "read a.go"),
    ("git blame HEAD~1 -- a.go", "read a.go@HEAD~1 1-"),
    ("git -C /srv/app diff -- a.go", "diff /srv/app/a.go"),
    ("git ls-files", "list ."),
    # lists, facts about files, bytes
    ("ls -la src", "list src"),
    ("ls", "list ."),
    ("tree -L 2 src", "list src"),
    ("find src -name '*.go'", "list src"),
    ("fd -e go . src", "list src"),
    ("wc -l a.go b.go", "metadata a.go; metadata b.go"),
    ("stat a.go", "metadata a.go"),
    ("xxd a.bin", "read a.bin bytes"),
    ("xxd a.bin | head", "unknown a.bin"),
    ("strings a.bin", "read a.bin bytes"),
    ("dd if=a.bin bs=1 count=4", "read a.bin bytes"),
    ("diff a.go b.go", "diff a.go; diff b.go"),
    # python
    ("python3 -c \"print(open('a.py').read())\"", "read a.py 1-"),
    ("python -c \"from pathlib import Path; print(Path('a.py').read_text())\"", "read a.py 1-"),
    ("python3 - <<'PY'\nprint(open('a.py').read())\nPY", "read a.py 1-"),
    ("python3 - <<'PY'\nlines = open('a.py').readlines()\nprint(''.join(lines[9:20]))\nPY", "read a.py 10-20"),
    ("python3 -c \"print('\\n'.join(open('a.py').read().splitlines()[9:20]))\"", "read a.py 10-20"),
    ("python3 -c \"print(open('a.py').read()[:500])\"", "unknown a.py"),
    ("python3 -c \"import json; print(json.load(open('a.json'))['x'])\"", "unknown a.json"),
    ("python3 -c \"import linecache; print(linecache.getline('a.py', 5))\"", "unknown a.py"),
    (
        "python3 - <<'PY'\nfor i, line in enumerate(open('a.py'), 1):\n    if 3 <= i <= 7: print(i, line, end='')\nPY",
        "read a.py",
    ),
    ("python3 -c \"open('a.py', 'w').write('x')\"", ""),
    ("python3 script.py a.txt", ""),
    # PowerShell
    ("Get-Content a.ps1", "read a.ps1 1-"),
    ("Get-Content -Path 'src\\a.ps1' -TotalCount 20", "read src\\a.ps1 1-20"),
    ("gc a.ps1 -Head 20", "read a.ps1 1-20"),
    ("Get-Content a.ps1 -Tail 5", "read a.ps1 -5-"),
    ("Get-Content a.ps1 | Select-Object -Skip 9 -First 11", "read a.ps1 10-20"),
    ("Get-Content a.ps1 | select -First 5", "read a.ps1 1-5"),
    ("(Get-Content a.ps1)[9..19]", "read a.ps1 10-20"),
    ("Get-Content a.ps1 | Where-Object { $_ -match 'x' }", "unknown a.ps1"),
    ("Get-Content a.ps1 | Measure-Object -Line", "metadata a.ps1"),
    ("Select-String -Path a.ps1 -Pattern foo", "search a.ps1 ~foo"),
    ("Get-ChildItem src -Recurse", "list src"),
    ("pwsh -NoProfile -Command 'Get-Content a.ps1 -Head 3'", "read a.ps1 1-3"),
    # what reads nothing
    ("echo hello", ""),
    ("cat <<'EOF'\ntext\nEOF", ""),
    ("npm test", ""),
    ("git status", ""),
]


def told(intent: ReadIntent) -> str:
    """Return an intent in the form of the table."""
    path = intent.path if intent.path is not None else "?"
    revision = "" if intent.revision is None else f"@{intent.revision}"
    rest = f" ~{intent.pattern}" if intent.pattern is not None else ""
    if intent.unit == "bytes":
        rest = " bytes"
    elif intent.intervals is not None:
        rest = " " + ",".join(map(span, intent.intervals))
    return f"{intent.family} {path}{revision}{rest}"


def span(of: Span) -> str:
    """Return a span in the form of the table."""
    return f"{of.first}-{'' if of.last is None else of.last}{'' if of.step == 1 else f'/{of.step}'}"


@pytest.mark.parametrize(("command", "reads"), TABLE, ids=[command for command, _ in TABLE])
def test_a_command_reads_these_lines_of_these_paths(command: str, reads: str) -> None:
    assert "; ".join(map(told, read_intents(command))) == reads


def test_there_are_at_least_150_of_them() -> None:
    assert len(TABLE) >= 150


def test_a_path_is_seen_from_the_folder_that_the_command_began_in() -> None:
    assert [intent.path for intent in read_intents("cat a.go; cd src && cat b.go", "/w")] == ["/w/a.go", "/w/src/b.go"]


def test_an_intent_is_exact_where_its_output_showed_it_and_attempted_where_the_command_failed() -> None:
    intents = read_intents("cat a.go b.go", "/w")
    seen = [Sighting(path="a.go", first=1, lines=("x",))]
    assert [intent.grade for intent in graded(intents, seen, "/w", succeeded=True)] == ["exact", "inferred"]
    assert [intent.grade for intent in graded(intents, seen, "/w", succeeded=False)] == ["attempted", "attempted"]
