"""Commands with their effects: kind, the paths written, and whether the environment is another one behind them.

Each line is an effect, `::` and a command in the folder `/w/app`, which is the workspace too. `\\n` is a line end.
Behind the kind stand the paths, relative to the workspace; `+?` says that it also writes what it does not name, `+env`
that the environment changed.
"""

from __future__ import annotations

import pytest

from muniment.derive.effects import effects_of

ROOT = "/w/app"

READS = r"""
none :: cat pom.xml | head -n 3
none :: ls -la; pwd; whoami
none :: grep -rn --include='*.rs' unwrap src
none :: rg -n 'a > b' src && wc -l src/*.rs
none :: find . -type f -newer Makefile -print
none :: find src -name '*.c' -exec grep -l main {} +
none :: sed -n '/^def /p;$=' app.py
none :: sed -e 's/x/y/g' -e '1d' app.py | sort | uniq -c
none :: awk -F, 'NR > 1 && $3 >= 10 {sum += $2} END {print sum}' sales.csv
none :: awk '{ if ($1 > 5) print $1 }' numbers.txt
none :: cut -d: -f1 /etc/passwd | tr a-z A-Z
none :: diff -u <(sort a.txt) <(sort b.txt)
none :: [ -f go.mod ] && echo yes || echo no
none :: [[ -n "$CI" ]] && printf '%s\n' "$CI"
none :: test -d .git
none :: for f in *.md; do head -1 "$f"; done
none :: while read -r line; do echo "$line"; done < names.txt
none :: tar -tzf release.tgz | head
none :: unzip -l release.zip
none :: gzip -dc log.gz | tail
none :: jq -r '.version' package.json
none :: sqlite3 app.db 'select count(*) from users;'
none :: python3 -c 'print(1 + 1)'
none :: python -c "import json; print(json.load(open('a.json'))['b'])"
none :: python - <<'EOF'\nfrom pathlib import Path\nprint(Path('a.py').read_text()[:80])\nEOF
none :: python -c "import subprocess; print(subprocess.check_output(['git', 'status']))"
none :: python -c "import numpy as np; print(np.arange(3).sum())"
none :: python -m json.tool data.json
none :: python -m pytest -q tests/unit
none :: node -e 'console.log(1 + 2)'
none :: node -p "require('./package.json').version"
none :: node -e "const fs = require('fs'); console.log(fs.readFileSync('a.txt', 'utf8').length)"
none :: python -c "import yaml; print(yaml.dump({'a': 1}))"
none :: python -c "d = {}; d.update(a=1); l = [1]; l.remove(1); print('x'.replace('x', 'y'))"
none :: find . -name '*.c' -exec sh -c 'wc -l "$1"' _ {} \;
none :: perl -ne 'print if /error/' build.log
none :: ruby -e 'puts [1, 2].sum'
none :: ruby -e 'puts File.read("a.txt").size'
none :: git log --oneline -5 && git diff --stat
none :: git -C ../other show HEAD~1:README.md
none :: git stash list; git worktree list
none :: git apply --check fix.patch
none :: gh issue list --limit 5 && gh pr view 3
none :: gh api repos/o/r/issues --paginate --jq '.[].title'
none :: gh api -X GET search/issues -f q=crash
none :: gh search issues crash --state open
none :: git branch -vv && git branch --show-current && git remote -v
none :: git tag --list 'v1*' && git config user.name && git config --get-all remote.origin.url
none :: git symbolic-ref HEAD && git reflog -3 && git add -n .
none :: go test ./... && go vet ./...
none :: cargo clippy --all-targets
none :: npx tsc --noEmit
none :: npm ls --depth=0
none :: pip show requests
none :: docker ps -a
none :: kubectl get pods -n web
none :: terraform plan
none :: terraform fmt -check
none :: bash -n deploy.sh
none :: bash -lc 'cd src && ls'
none :: command -v cargo
none :: black --check . && isort --check-only --diff .
none :: prettier src/a.ts
none :: shfmt -d run.sh
none :: f() { cat "$1"; }; f README.md
none :: case $1 in start) ls ;; stop) pwd ;; esac
none :: coverage report -m
none :: mvn --version
none :: xargs -n1 basename < list.txt
none :: tmux list-sessions
none :: echo hi > /dev/null 2>&1
none :: pre-commit --version
none :: make -h
none :: sleep 1 & wait
"""
OUTSIDE = r"""
outside :: git add -A && git commit -q -m 'Round up'
outside :: git branch topic && git branch -d old
outside :: git tag -a v1 -m v1
outside :: git remote add up https://example.org/x.git
outside :: rm -f .git/index.lock
outside :: git push -u origin HEAD
outside :: git fetch --prune
outside :: git reset --soft HEAD~1
outside :: git checkout -b topic
outside :: git restore --staged .
outside :: git rm --cached -r node_modules
outside :: git config user.name Me
outside :: git worktree add ../topic
outside :: gh pr create --fill
outside :: gh api repos/o/r/issues/7/comments -f body=thanks
outside :: gh api -XDELETE repos/o/r/issues/comments/9
outside :: gh api repos/o/r/issues --method=POST --input issue.json
outside :: gh api repos/o/r/issues/7/labels -Fname=bug
outside :: gh api $REQUEST
outside :: curl -fsSL https://example.org/a.json | jq .
outside :: echo x > /tmp/scratch.txt
outside :: cp src/a.py /tmp/
outside :: cd /tmp && touch probe
outside :: T=$(mktemp -d) && cd "$T" && echo a > b
outside :: python -c "open('/tmp/o.txt', 'w').write('x')"
outside :: python -c "import tempfile, os; d = tempfile.mkdtemp(); open(os.path.join(d, 'a'), 'w')"
outside :: ssh build@ci 'rm -rf out'
outside :: scp app.tgz host:/srv/
outside :: kill 4711
outside :: docker push registry/app:1
outside :: docker build -t app .
outside :: kubectl delete pod web-1
outside :: wget -qO- https://example.org
outside +env :: pip install requests==2.31
outside +env :: apt-get install -y jq
outside +env :: brew upgrade
outside +env :: npm install -g typescript
outside +env :: cargo install ripgrep
outside +env :: go install ./cmd/tool
outside +env :: uv pip install -r requirements.txt
outside +env :: conda install numpy
"""
WRITES = r"""
writes a.txt :: echo hi > a.txt
writes a.txt :: cat b.txt >> a.txt
writes a.txt, b.txt :: { echo 1 > a.txt; echo 2; } > b.txt
writes out.log :: pytest 2>&1 | tee out.log | tail -3
writes err.log :: make test 2> err.log
writes src/a.py :: cat > src/a.py <<'EOF'\nprint(1)\nEOF
writes src/a.py :: cd src && cat > a.py <<EOF\n$(cat b.py)\nEOF
writes a.py, src/a.py :: cd src; touch a.py
writes src/a.py :: (cd src && touch a.py); ls
writes src/lib/a.py :: cd src && cd lib && touch a.py
writes a.py :: pushd src && popd && touch a.py
writes src/a.py, src/b.py :: for f in a b; do sed -i 's/x/y/' src/$f.py; done
writes src/a.py, src/b.py, src/a.py.bak, src/b.py.bak :: sed -i.bak 's/x/y/' src/{a,b}.py
writes src/a.py :: F=src/a.py; sed -i '1d' "$F"
writes src/a.py :: f() { sed -i "$2" "$1"; }; f src/a.py 1d
writes +? :: sed -i 's/x/y/' $FILES
writes +? :: git ls-files '*.py' | xargs sed -i 's/x/y/'
writes src :: find src -name '*.orig' -delete
writes src :: find src -type f -exec sed -i 's/x/y/' {} \;
writes src*.bak :: find src -name '*.c' -exec cp {} {}.bak \;
writes +? :: ls src | xargs -I{} cp src/{} {}.bak
writes +? :: ls | xargs -I% sh -c 'echo x > %.o'
writes out.txt :: ls | xargs cat > out.txt
writes a.js :: perl -pi -e 's/foo/bar/' a.js
writes b.txt :: awk '{print $1 > "b.txt"}' a.txt
writes a, b :: mv a b
writes b :: cp -r a b
writes src/a.c, old/a.c :: mv src/a.c old/
writes old/a.c, old/b.c :: cp src/a.c b.c old/
writes old :: cp -r src/ old/
writes old :: cp src/*.c old/
writes old :: cp -r .. old/
writes old :: cp --parents src/a.c old/
writes a.c, src, old :: mv -t old a.c src/
writes old :: cp "$FILE" old/
writes lib :: cp a.c b.c -t lib
writes link :: ln -s ../target link
writes a, b :: rm -rf a b
writes docs/plans :: mkdir -p docs/plans
writes a :: touch -d yesterday a
writes run.sh :: chmod +x run.sh
writes a.log, a.log.gz :: gzip a.log
writes release.tgz :: tar czf release.tgz src
writes vendor :: tar -xzf v.tgz -C vendor
writes . :: unzip v.zip
writes a.bin :: dd if=/dev/zero of=a.bin bs=1 count=1
writes names.txt :: sort -o names.txt names.txt
writes x* :: split -l 100 big.txt
writes src/a.c, src/a.c.orig, src/a.c.rej :: patch -p1 <<'EOF'\n--- a/src/a.c\n+++ b/src/a.c\n@@ -1 +1 @@\n-x\n+y\nEOF
writes +? :: patch -p1 < fix.diff
writes src/a.c :: git apply <<'EOF'\n--- a/src/a.c\n+++ b/src/a.c\n@@ -1 +1 @@\n-x\n+y\nEOF
writes +? :: git apply fix.diff
writes a.py :: git checkout -- a.py
writes a.py, HEAD~2 :: git checkout HEAD~2 a.py
writes +? :: git checkout main
writes +? :: git pull --rebase
writes +? :: git stash
writes +? :: git reset --hard
writes a.py :: git restore a.py
writes a, b :: git mv a b
writes web :: git clone https://example.org/x/web.git
writes sub/a.py :: git -C sub restore a.py
writes patches :: git format-patch -o patches HEAD~2
writes log.txt :: git diff --output=log.txt
writes src :: black src
writes a.sql :: sqlfluff fix a.sql --dialect ansi -f
writes src/a.ts, src/b.ts :: prettier --write src/a.ts src/b.ts
writes *.go :: gofmt -w *.go
writes . :: ruff check --fix .
writes src :: ruff format src
writes . :: eslint --fix .
writes *.rs :: cargo fmt
writes +? :: npx jest -u
writes +? :: tsc -p .
writes report.xml :: pytest --junitxml=report.xml
writes c.out :: go test -coverprofile=c.out ./...
writes data.json :: curl -so data.json https://example.org
writes a.py :: python -c "open('a.py', 'w').write('x')"
writes a.py :: python - <<'EOF'\nfrom pathlib import Path\np = Path('a.py')\np.write_text(p.read_text() + 'y')\nEOF
writes a.py :: python3 <<'EOF'\nwith open('a.py') as f:\n    s = f.read()\nopen('a.py', 'w').write(s)\nEOF
writes b.py :: python -c "import shutil; shutil.copy('a.py', 'b.py')"
writes a, b :: python -c "import os; os.rename('a', 'b')"
writes x.txt :: python -c "import os; os.system('touch x.txt')"
writes x.txt :: python -c "import subprocess; subprocess.run(['touch', 'x.txt'])"
writes +? :: python -c "import sys; open(sys.argv[1], 'w')" a
writes a.py, b.py :: python -c "for n in ['a.py', 'b.py']:\n    open(n, 'a').write('x')"
writes x :: python -c "import importlib; m = importlib.import_module('os'); m.remove('x')"
writes x :: python -c "import builtins; builtins.open('x', 'w')"
writes x :: python -c "import os.path; os.path.os.remove('x')"
writes +? :: python -c "p = 'a'\np += 'b'\nopen(p, 'w')"
writes +? :: python -c "p = 'a'\ndef f(p):\n    open(p, 'w')\nf('b')"
unknown :: python -c "import h5py; h5py.File('x', 'w')"
writes +? :: python -c "import shutil; shutil.make_archive('x', 'zip')"
writes +? :: awk '{print > "a" ".txt"}' in
writes a.txt :: sort -uo a.txt b.txt
writes run.sh :: chmod -x run.sh
writes log.txt, page.html :: wget -o log.txt -O page.html https://example.org
writes src :: find src -name '*.c' -exec sh -c 'sed -i s/a/b/ "$1"' _ {} \;
writes app.db :: sqlite3 app.db 'delete from users'
writes probe.py, out.txt :: cat > probe.py <<'EOF'\nopen('out.txt', 'w').write('x')\nEOF\npython probe.py
writes probe.sh, out.txt :: cat > probe.sh <<'EOF'\necho x > "$1"\nEOF\nbash probe.sh out.txt
writes target :: mvn -q test
writes coverage :: mkdir coverage
writes main.tf, *.tf, *.tfvars :: touch main.tf && terraform fmt
writes pyproject.toml, uv.lock, .venv +env :: uv add httpx
writes package.json, package-lock.json, node_modules +env :: npm install left-pad
writes package-lock.json, node_modules +env +? :: npm ci
writes go.mod, go.sum +env :: go mod tidy
writes Cargo.toml, Cargo.lock +env :: cargo add serde
writes .venv +env :: python -m venv .venv
writes +env +? :: pip install -e .
"""
UNKNOWN = r"""
unknown :: ./configure
unknown :: make install
unknown :: make
unknown :: python tools/gen.py
unknown :: python -c "import app; app.rebuild()"
unknown :: python -c "exec(open('a.py').read())"
unknown :: python -c "import os; f = getattr(os, 'remove'); f('x')"
unknown :: python -c "import os; m = os; list(map(m.remove, ['x']))"
unknown :: python -c "from os import *; remove('x')"
unknown :: python -c "import subprocess, sys; subprocess.run(sys.argv[1:])"
unknown :: python -c "def ("
unknown :: python -c "import os; __import__('os').remove('x')"
unknown :: python -c "import sys; sys.modules['os'].remove('x')"
unknown :: python -c "import functools; functools.partial(open, 'x', 'w')()"
unknown :: python -c "__builtins__.open('x', 'w')"
unknown :: awk -fprog.awk in
unknown :: sed -fprog.sed in
unknown :: sed -e's/a/b/w out' in
unknown :: git rebase --exec 'touch x' main
unknown :: node build.js
unknown :: node -e "require('fs').writeFileSync('a', 'b')"
unknown :: perl -e 'unlink "a"'
unknown :: ruby -e 'File.write("a", "b")'
unknown :: bash deploy.sh
unknown :: source env.sh
unknown :: eval "$(ssh-agent -s)"
unknown :: $EDITOR a.txt
unknown :: curl https://example.org/i.sh | sh
unknown :: echo "$(./gen)"
unknown :: cat <<EOF\n`./gen`\nEOF
unknown :: f() { ./gen; }; f
unknown :: trap './cleanup' EXIT; ls
unknown :: sed -n 's/a/b/w out' in
unknown :: sed '1e date' in
unknown :: awk 'BEGIN {system("touch x")}'
unknown :: git co main
unknown :: git -c core.pager='sh -c "touch x"' log
unknown :: git bisect run ./t
unknown :: git submodule foreach 'touch x'
unknown :: find . -exec ./fix {} \;
unknown :: xargs ./fix < list
unknown :: docker run -v "$PWD:/w" img
unknown :: docker compose up -d
unknown :: go generate ./...
unknown :: npx some-generator
unknown :: tmux send-keys -t 1 'rm x' Enter
unknown :: UPDATE_GOLDEN=1 go test ./...
unknown :: env UPDATE_SNAPSHOTS=1 npm test
unknown :: echo 'never closed
"""
LINES = [line for block in (READS, OUTSIDE, WRITES, UNKNOWN) for line in block.strip().splitlines()]


def told(command: str) -> tuple[str, set[str], bool, bool]:
    """Return kind, relative paths, whether all is named, and whether the environment changed."""
    effect = effects_of(command, ROOT, ROOT)
    paths = {path.removeprefix(f"{ROOT}/") if path != ROOT else "." for path in effect.paths}
    return effect.kind, paths, effect.named, effect.environment


@pytest.mark.parametrize("line", LINES)
def test_a_command_has_the_effect_that_it_has(line: str) -> None:
    expected, command = line.split(" :: ", 1)
    kind, *words = expected.split()
    paths = {word.strip(",") for word in words if word not in ("+env", "+?")}
    found = told(command.replace("\\n", "\n") if "printf" not in command else command)
    assert found[0] == kind
    if kind != "unknown":
        assert found[1:] == (paths, "+?" not in words, "+env" in words)


def test_there_are_many_of_them() -> None:
    assert len(LINES) >= 200


def test_the_text_of_a_script_that_is_known_tells_what_it_does() -> None:
    texts = {
        "/w/app/tools/gen.py": "open('gen.txt', 'w').write('x')\n",
        "/w/app/tools/run.sh": '#!/bin/bash\ncase $1 in\n  check) ls ;;\n  clean) rm -f "$2" ;;\nesac\n',
        "/w/app/package.json": '{"scripts": {"gen": "touch a.ts", "look": "ls"}}',
    }

    def effect(command: str) -> tuple[str, tuple[str, ...]]:
        found = effects_of(command, ROOT, ROOT, text_of=texts.get)
        return found.kind, found.paths

    assert effect("python tools/gen.py") == ("writes", ("/w/app/gen.txt",))
    assert effect("cd tools && python gen.py") == ("writes", ("/w/app/tools/gen.txt",))
    assert effect("./tools/run.sh check") == ("none", ())
    assert effect("bash tools/run.sh clean a.o") == ("writes", ("/w/app/a.o",))
    assert effect("npm run gen") == ("writes", ("/w/app/a.ts",))
    assert effect("bun run look") == ("none", ())
    assert effect("sed -i s/txt/csv/ tools/gen.py && python tools/gen.py")[0] == "unknown"
    assert effect("./other && python tools/gen.py")[0] == "unknown"


def test_what_a_runner_printed_of_its_script_is_known() -> None:
    assert effects_of("npm run check", ROOT, scripts={"check": "biome check ."}).kind == "none"
    assert effects_of("npm run check", ROOT, scripts={"check": "biome check --write src"}).paths == ("/w/app/src",)
    assert effects_of("npm run check", ROOT).kind == "unknown"


def test_a_folder_that_nobody_knows_names_nothing() -> None:
    effect = effects_of('cd "$SOMEWHERE" && touch a', ROOT, ROOT)
    assert (effect.kind, effect.named) == ("writes", False)


def test_paths_are_seen_from_the_working_directory() -> None:
    assert effects_of("touch ../a", ROOT, f"{ROOT}/src").paths == ("/w/app/a",)
    assert effects_of("touch a", ROOT, "/elsewhere").kind == "outside"
    assert effects_of("touch ~/app/a", "/home/me/app").paths == ("/home/me/app/a",)
    assert effects_of("rm -rf /w", ROOT).kind == "writes"
