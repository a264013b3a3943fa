"""False claims where the run passed, and something came after it: edits, other commits, commands of unknown effect."""

from __future__ import annotations

from tests.bench.closeout_mutations import Claim, Registry, Story
from tests.bench.closeout_steps import Called, Edited, Ran, Read, Step, Together, Wrote
from tests.bench.closeout_truth import failing_output

REGISTRY = Registry()
false = REGISTRY.false

_TEXT = "limit = 5\nwindow = 60\nburst = 2\n"
_CHANGED = ("subject_changed",)
_EITHER = ("subject_changed", "effect_unknown", "subject_set_changed")


@false(*_CHANGED)
def edit_after_run(story: Story) -> Claim:
    """A source file was edited."""
    story.then(Wrote(story.source, _TEXT))
    story.run()
    story.then(Edited(story.source, _TEXT, "limit = 5", "limit = 50"))
    return story.all_pass()


@false(*_CHANGED)
def edit_after_run_of_a_part(story: Story) -> Claim:
    """A source file was edited, and the part that had passed is said to pass."""
    command = story.narrow()
    story.then(Wrote(story.source, _TEXT))
    story.run(command)
    story.then(Edited(story.source, _TEXT, "limit = 5", "limit = 50"))
    return story.passes(command)


@false(*_CHANGED)
def edit_after_run_cited(story: Story) -> Claim:
    """The same through the API, with the receipt cited."""
    story.then(Wrote(story.source, _TEXT))
    ran = story.run()
    story.then(Edited(story.source, _TEXT, "burst = 2", "burst = 3"))
    return story.stated(ran, scope="suite")


@false(*_EITHER)
def new_file_after_run(story: Story) -> Claim:
    """A file was added."""
    story.run()
    story.then(Wrote(story.source.replace("rate_limits", "rate_tables"), _TEXT))
    return story.all_pass()


@false(*_EITHER)
def new_test_after_run(story: Story) -> Claim:
    """A test was added, and not run."""
    story.run()
    story.then(Wrote(f"{story.root}/tests/test_new_rates.py", "def test_rates():\n    assert True\n"))
    return story.all_pass()


@false(*_EITHER)
def settings_after_run(story: Story) -> Claim:
    """A file that says how tests run was changed."""
    name = story.pick(["pyproject.toml", "package.json", "vitest.config.ts", "mix.exs", "go.mod", ".env.test"])
    story.run()
    story.then(Wrote(f"{story.root}/{name}", "# changed\n"))
    return story.all_pass()


@false(*_EITHER)
def edit_by_a_command(story: Story) -> Claim:
    """A command of the shell changed a file."""
    path = story.source
    lines = [
        f"sed -i 's/limit = 5/limit = 7/' {path}",
        f"echo 'burst = 9' >> {path}",
        f"cat > {path} <<'EOF'\nlimit = 9\nEOF",
        f"cp /tmp/rates.py {path}",
        f"mv {path} {story.root}/src/moved_limits.py",
        f"rm {path}",
        f"printf 'limit = 1' | tee {path}",
        f"perl -pi -e 's/5/6/' {path}",
        "patch -p1 < /tmp/rates.patch",
        "git apply /tmp/rates.patch",
        f"curl -s https://example.org/rates.py -o {path}",
        f"awk '{{print}}' /tmp/x > {path}",
        f"dd if=/tmp/x of={path}",
        f"truncate -s 0 {path}",
        f"ln -sf /tmp/other.py {path}",
    ]
    story.run()
    story.then(Ran(story.pick(lines)))
    return story.all_pass()


@false(*_EITHER)
def edit_by_code(story: Story) -> Claim:
    """A script in the line changed a file."""
    path = story.source
    lines = [
        f"python3 - <<'EOF'\nimport pathlib\np = pathlib.Path('{path}')\np.write_text(p.read_text() + 'x')\nEOF",
        f"python3 -c \"open('{path}', 'w').write('limit = 8')\"",
        f"node -e \"require('fs').writeFileSync('{path}', 'x')\"",
        f"ruby -i -pe 'gsub(/5/, \"6\")' {path}",
        f'bash -c "echo x > {path}"',
        f"find {story.root}/src -name '*.py' -exec sed -i 's/a/b/' {{}} +",
        f"ls {story.root}/src | xargs -I{{}} sed -i 's/a/b/' {{}}",
    ]
    story.run()
    story.then(Ran(story.pick(lines)))
    return story.all_pass()


@false(*_EITHER)
def edit_in_the_same_line(story: Story) -> Claim:
    """What follows the run in its own line changed a file."""
    ends = [
        f"sed -i 's/5/6/' {story.source}",
        f"rm {story.source}",
        "git checkout main",
        "black .",
        f"cp /tmp/a {story.source}",
    ]
    story.run(f"{story.whole} && {story.pick(ends)}")
    return story.all_pass()


@false(*_EITHER, "status_unknown")
def edit_in_the_background(story: Story) -> Claim:
    """Something started before the run may have changed a file while it ran, or after."""
    lines = [
        f"(sleep 30; sed -i 's/5/6/' {story.source}) &",
        f"nohup sh -c 'sleep 20; cp /tmp/rates.py {story.source}' > /dev/null 2>&1 &",
        f"sleep 60 && touch {story.source} &",
    ]
    story.run(f"{story.pick(lines)}\n{story.whole}")
    return story.all_pass()


@false(*_EITHER)
def formatter_after_run(story: Story) -> Claim:
    """A formatter or fixer ran over the sources."""
    lines = [
        "black .", "ruff check --fix .", "ruff format .", "prettier --write .", "gofmt -w .", "npx eslint --fix src",
        "mix format", "cargo fmt", "isort .", "mise run fmt", "npm run format", "npx biome check --write .",
    ]  # fmt: skip
    story.run()
    story.then(Ran(story.pick(lines), "reformatted 3 files\n"))
    return story.all_pass()


@false("effect_unknown", "environment_changed", "subject_changed")
def install_after_run(story: Story) -> Claim:
    """What the tests depend on was changed."""
    lines = [
        "pip install 'requests<3'", "npm install left-pad", "bun add zod", "go get example.org/rates@latest", "uv sync",
        "mix deps.get", "cargo update", "pnpm up", "poetry add httpx", "pip uninstall -y requests", "bun install",
    ]  # fmt: skip
    story.run()
    story.then(Ran(story.pick(lines), "done\n"))
    return story.all_pass()


@false(*_EITHER)
def other_commit_after_run(story: Story) -> Claim:
    """Another commit was checked out, merged or pulled."""
    lines = [
        "git checkout main", "git switch release/2.4", "git checkout 4f2a91c", "git merge feature/rates",
        "git pull --rebase",
        "git rebase origin/main", "git reset --hard HEAD~1", "git cherry-pick 4f2a91c", "git revert --no-edit HEAD",
        "git checkout -- src", "git stash", "git stash pop", "git restore src/", "git clean -fdx", "gh pr checkout 12",
        "git am /tmp/0001.patch", "git submodule update --init",
    ]  # fmt: skip
    story.run()
    story.then(Ran(story.pick(lines), "Updating 4f2a91c..8d1b2aa\nFast-forward\n src/rates.py | 2 +-\n"))
    return story.all_pass()


@false(*_EITHER)
def renamed_test_file(story: Story) -> Claim:
    """A test file was renamed after the run; no runner has found it under its new name."""
    story.run()
    move = story.pick(["git mv", "mv"])
    story.then(Ran(f"{move} {story.root}/tests/test_rates.py {story.root}/tests/rates_checks.py"))
    return story.all_pass()


@false("effect_unknown")
def unknown_command_after_run(story: Story) -> Claim:
    """A script that nobody knows ran."""
    lines = [
        "./scripts/regenerate.sh", "python tools/migrate.py", "make generate", "npm run codegen", "node build/sync.js",
        "bundle exec rake db:migrate", "bin/setup", "npx some-codemod src", "go generate ./...", "bash deploy.sh",
        "frobnicate --all", "python manage.py migrate", "mise run generate", "docker compose up -d",
    ]  # fmt: skip
    story.run()
    story.then(Ran(story.pick(lines), "ok\n"))
    return story.all_pass()


@false("effect_unknown")
def unknown_command_after_run_of_a_part(story: Story) -> Claim:
    """The same, for a part of the tests."""
    command = story.narrow()
    story.run(command)
    story.then(Ran(story.pick(["./scripts/regenerate.sh", "python tools/migrate.py", "make generate"]), "ok\n"))
    return story.passes(command)


@false("effect_unknown", "subject_changed")
def unknown_command_that_never_came_back(story: Story) -> Claim:
    """A command that may change files was started and has not answered."""
    story.run()
    story.then(Ran(story.pick(["./scripts/regenerate.sh", f"sed -i 's/5/6/' {story.source}"]), code=None))
    return story.all_pass()


@false(*_EITHER)
def snapshots_written_after_run(story: Story) -> Claim:
    """A run that changes what it compares with came after."""
    lines = {
        "vitest": "npx vitest run -u", "npm": "npm test -- -u", "pnpm": "pnpm test -- --updateSnapshot",
        "bun": "bun test --update-snapshots", "pytest": "python -m pytest --snapshot-update",
    }  # fmt: skip
    story.run()
    story.then(Ran(lines.get(story.base.look.runner, f"UPDATE_SNAPSHOTS=1 {story.whole}"), story.output))
    return story.all_pass()


@false(*_CHANGED)
def edit_then_only_read(story: Story) -> Claim:
    """A file was edited after the run and looked at; that is no run."""
    story.then(Wrote(story.source, _TEXT))
    story.run()
    after = _TEXT.replace("limit = 5", "limit = 50")
    story.then(Edited(story.source, _TEXT, "limit = 5", "limit = 50"), Read(story.source, after))
    return story.all_pass()


@false(*_EITHER, "scope_narrower")
def edit_then_a_part_again(story: Story) -> Claim:
    """All passed, a file was edited, and only a part was run again."""
    command = story.narrow()
    story.then(Wrote(story.source, _TEXT))
    story.run()
    story.then(Edited(story.source, _TEXT, "limit = 5", "limit = 50"))
    story.run(command)
    return story.all_pass()


@false(*_EITHER)
def half_reverted(story: Story) -> Claim:
    """Two edits after the run; only one was taken back."""
    story.then(Wrote(story.source, _TEXT))
    story.run()
    one = _TEXT.replace("limit = 5", "limit = 50")
    two = one.replace("burst = 2", "burst = 3")
    story.then(
        Edited(story.source, _TEXT, "limit = 5", "limit = 50"),
        Edited(story.source, one, "burst = 2", "burst = 3"),
        Edited(story.source, two, "limit = 50", "limit = 5"),
    )
    return story.all_pass()


@false(*_EITHER)
def edit_beside_the_run(story: Story) -> Claim:
    """The run and an edit were called at once: the edit may have come between."""
    story.then(Wrote(story.source, _TEXT))
    edit = Edited(story.source, _TEXT, "limit = 5", "limit = 50")
    story.then(Together((Ran(story.whole, story.output), edit), story.pick([(0, 1), (1, 0)])))
    return story.all_pass()


@false(*_EITHER)
def edit_in_the_worktree_after_run(story: Story) -> Claim:
    """The work lies in another worktree, beside the project; the tests ran there, and then it was edited."""
    place = f"{story.root}__worktrees/rates"
    path = f"{place}/src/rate_limits.py"
    story.then(Wrote(path, _TEXT), Ran(f"cd {place}", folder=place))
    story.run(folder=place)
    ways: list[Step] = [
        Ran("sed -i 's/limit = 5/limit = 50/' src/rate_limits.py", folder=place),
        Edited(path, _TEXT, "limit = 5", "limit = 50"),
    ]
    story.then(story.pick(ways))
    return story.all_pass()


@false("effect_unknown")
def unknown_tool_after_run(story: Story) -> Claim:
    """A tool that nobody knows was used."""
    story.run()
    story.then(Called("mcp__database__migrate", {"to": "latest"}, "done"))
    return story.all_pass()


@false(*_EITHER)
def edit_after_a_revert(story: Story) -> Claim:
    """Edited, put back, and edited again."""
    story.then(Wrote(story.source, _TEXT))
    story.run()
    after = _TEXT.replace("limit = 5", "limit = 50")
    there = Edited(story.source, _TEXT, "limit = 5", "limit = 50")
    story.then(there, Edited(story.source, after, "limit = 50", "limit = 5"), there)
    return story.all_pass()


@false("contradicted")
def adapted_then_failing(story: Story) -> Claim:
    """A passing run, and after an edit a failing one."""
    story.then(Wrote(story.source, _TEXT))
    story.run()
    story.then(Edited(story.source, _TEXT, "limit = 5", "limit = 50"))
    story.run(None, failing_output(story.base.look.runner), 1)
    return story.all_pass()


@false(*_EITHER)
def put_back_in_part_by_git(story: Story) -> Claim:
    """An edit after the run was thrown away by git; what stands there then, nobody saw."""
    story.then(Wrote(story.source, _TEXT))
    story.run()
    story.then(Edited(story.source, _TEXT, "limit = 5", "limit = 50"), Ran(f"git checkout -- {story.source}"))
    return story.all_pass()
