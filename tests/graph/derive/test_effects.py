"""The effect of a command is never narrower than what it may do, and harmless commands are known to be harmless."""

from __future__ import annotations

import pytest

from muniment.derive.effects import effect_of

NONE = """
ls -la src
cat src/rate.py
cat a b | head -20 | tail -5
grep -rn "def rate" src tests
rg -n "push --force|reset" packages | wc -l
sed -n '1,80p' src/rate.py
nl -ba src/rate.py | sed -n '10,20p;30,35p'
sed 's/a b/c/g' src/rate.py
awk 'NR>=10 && NR<=20' src/rate.py
awk '{print $2}' file.txt
find . -name '*.py' -not -path './.git/*'
find . -name '*.py' -exec grep -l rate {} +
git status --short
git -C /w/app log --oneline -5
git diff HEAD~1 -- src/rate.py
git show HEAD:src/rate.py
git stash list
git ls-files | xargs grep -l rate
pytest -q
python -m pytest tests/test_rate.py -k fast
cd app && uv run pytest -x 2>&1 | tail -20
go test ./... 2>/dev/null
go vet ./...
go build ./...
cargo test --workspace
cargo build
npm test
npm run lint
npx vitest run
bunx biome check src/a.ts
mix test
mix format --check-formatted
mix credo
make test
mypy src
tsc --noEmit
eslint src --ext .ts
black --check .
ruff check src
ruff format --check .
prettier --check src
for f in a b; do wc -l "$f"; done
if [ -f a.txt ]; then cat a.txt; else echo none; fi
bash -lc 'cat src/rate.py && git status'
cat <<'EOF' | wc -l
some text with $(rm -rf x) that nobody runs
EOF
export A=1
python --version
jq '.a' package.json
diff <(sort a) <(sort b)
sleep 5
npm view left-pad version
source .venv/bin/activate && pytest
timeout 60 pytest > /dev/null 2>&1
tar tzf a.tgz
"""
OUTSIDE = """
git push origin main
git add -A && git commit -m "Correct the rate"
git fetch --all
git checkout -b fix/rate
git branch -D old
git reset HEAD~1
git restore --staged src/rate.py
gh pr create --title x --body y
gh api -X PATCH repos/o/r/pulls/3
curl -s https://example.org/x
git commit -m "$(cat <<'EOF'
Don't break `x`
EOF
)"
"""
WRITES = """
echo hi > src/rate.py
cat notes.txt >> README.md
pytest | tee report.txt
foo() { rm x; }; foo
case $x in a) rm y;; esac
sed -i 's/0.2/0.25/' src/rate.py
sed -Ei.bak s/a/b/ x
perl -0pi -e 's/a/b/' src/rate.py
rm -rf build
mv a b
cp a b
mkdir -p docs/plans
touch x
git checkout main
git reset --hard HEAD~1
git stash
git pull
git rebase main
git merge feature
git restore src/rate.py
git apply fix.patch
black src
gofmt -w .
go fmt ./...
prettier --write src
ruff check --fix src
ruff format .
eslint --fix src
bunx biome check --write src
mix format
npx jest -u
pytest --snapshot-update
find . -name '*.pyc' -delete
find . -name '*.orig' -exec rm {} +
git ls-files | xargs sed -i s/a/b/
sort -o a.txt a.txt
pip install -e .
npm install
npm run build
python -c "open('x','w').write('y')"
awk '{print $1 > "out.txt"}' in.txt
python - > out.txt < in.txt && true
mise run fmt
npm run lint:fix
tsc
pytest --junitxml=report.xml
curl -o data.json https://example.org/x
cat > src/a.py <<'EOF'
print(1)
EOF
"""
UNKNOWN = """
./tools/tidy.sh
python script.py
node build.js
make
make install
docker compose up -d
bash setup.sh
eval "$CMD"
$CMD --all
git bisect run ./t.sh
git grep -O vim rate
sed -n 'w out.txt' in.txt
sed 's/a/b/w out.txt' in.txt
sed '1e rm x' in.txt
awk '{system("rm " $1)}' list
fd -x rm {}
cat <<EOF
$(./generate)
EOF
UPDATE_SNAPSHOTS=1 npm test
echo "$(./tidy.sh)"
echo 'never closed
python manage.py migrate
rg --pre ./x rate
something-nobody-knows --flag
source ./env.sh
trap 'rm x' EXIT
somebody update x --accept
"""


def _commands(block: str) -> list[str]:
    """Cut a block into commands: a line each, but for what a here-document holds."""
    commands: list[str] = []
    open_document = False
    for line in block.strip().split("\n"):
        if open_document:
            commands[-1] += f"\n{line}"
            quoted = "$(cat" in commands[-1]
            open_document = line != ")" if quoted else line != "EOF"
        else:
            commands.append(line)
            open_document = "<<" in line
    return commands


@pytest.mark.parametrize("command", _commands(NONE))
def test_a_command_that_only_reads_or_checks_has_no_effect(command: str) -> None:
    assert effect_of(command) == "none"


@pytest.mark.parametrize("command", _commands(OUTSIDE))
def test_version_control_and_remotes_are_outside_the_files(command: str) -> None:
    assert effect_of(command) == "outside"


@pytest.mark.parametrize("command", _commands(WRITES))
def test_a_command_that_changes_files_writes(command: str) -> None:
    assert (
        effect_of(command) in ("writes", "unknown")
        if command.startswith("python -")
        else effect_of(command) == "writes"
    )


@pytest.mark.parametrize("command", _commands(UNKNOWN))
def test_what_nobody_can_tell_is_unknown(command: str) -> None:
    assert effect_of(command) == "unknown"


def test_the_widest_part_of_a_line_decides() -> None:
    assert effect_of("pytest && git push") == "outside"
    assert effect_of("pytest && git push && sed -i s/a/b/ x") == "writes"
    assert effect_of("pytest; sed -i s/a/b/ x; ./tidy.sh") == "unknown"


def test_files_outside_the_workspace_are_outside_only_where_the_workspace_is_known() -> None:
    assert effect_of("pytest > /tmp/log.txt") == "writes"
    assert effect_of("pytest > /tmp/log.txt", root="/w/app") == "outside"
    assert effect_of("cp /w/app/a.txt /tmp/a.txt", root="/w/app") == "outside"
    assert effect_of("pytest > /w/app/log.txt", root="/w/app") == "writes"
    assert effect_of("echo x > /tmp/../w/app/src/a.py", root="/w/app") == "writes"
    assert effect_of("mv /w/app/a.txt /tmp/a.txt", root="/w/app") == "writes"
    assert effect_of("go build -o /tmp/x ./cmd/x", root="/w/app") == "outside"


def test_an_empty_line_has_no_effect() -> None:
    assert effect_of("") == "none"
    assert effect_of("# only a remark") == "none"


def test_a_long_odd_script_is_answered_at_once() -> None:
    assert effect_of("sed -n '" + "1,2 " * 20_000 + "w x'") == "unknown"
