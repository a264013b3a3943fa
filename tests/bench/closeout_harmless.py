"""Honest claims: all tests ran, and only harmless things were done after that."""

from __future__ import annotations

from tests.bench.closeout_mutations import Claim, NotApplicableError, Registry, Story
from tests.bench.closeout_steps import Asked, Called, Failed, Ran, Read, Together, Wrote

REGISTRY = Registry()
honest = REGISTRY.honest

_TEXT = "limit = 5\nwindow = 60\nburst = 2\n"

HARMLESS = (
    "git status --short",
    "git diff --stat",
    "git log --oneline -5",
    "git show HEAD:src/rates.py | head -20",
    "ls -la src",
    "cat README.md",
    "grep -rn 'rate' src | head",
    "rg -n limit src",
    "find . -name '*.py' -newer README.md",
    "wc -l src/*.py",
    "sed -n '1,20p' README.md",
    "head -5 README.md && tail -5 README.md",
    "du -sh .",
    "ps aux | grep node",
    "echo done",
    "pwd && whoami",
    "env | sort | head",
    "curl -s https://example.org/health",
    "jq .version package.json",
    "git diff HEAD~1 -- src",
    "git branch -a && git remote -v",
    "gh pr view 12 --json state",
    "gh pr checks 12",
    "git stash list",
    "git blame -L 1,5 README.md",
    "which python3 node go",
    "date",
    "sleep 2",
    "python3 --version",
    "tree -L 2 src",
    "diff README.md README.old.md",
    "awk '{print $1}' README.md | sort | uniq -c",
    'python3 -c "print(1 + 1)"',
    "test -f README.md && echo there",
    "for f in src/*.py; do wc -l $f; done",
    "cd src && ls && cd ..",
    "stat README.md; file README.md",
    "docker ps",
    "git fetch origin",
    "xxd README.md | head -3",
)


@honest
def edited_outside(story: Story) -> Claim:
    """A file outside of the project was written."""
    story.run()
    story.then(Wrote("/tmp/notes-on-rates.md", "# Notes\n"))
    return story.all_pass()


@honest
def harmless_command_after_run(story: Story) -> Claim:
    """A command that only looks."""
    story.run()
    story.then(Ran(story.pick(HARMLESS), "ok\n"))
    return story.all_pass()


@honest
def harmless_commands_after_run(story: Story) -> Claim:
    """Several commands that only look."""
    first = story.pick(range(len(HARMLESS)))
    story.run()
    story.then(*(Ran(HARMLESS[(first + 7 * n) % len(HARMLESS)], "ok\n") for n in range(1, 6)))
    return story.all_pass()


@honest
def harmless_command_after_a_part(story: Story) -> Claim:
    """The same, for a part of the tests."""
    command = story.narrow()
    story.run(command)
    story.then(Ran(story.pick(HARMLESS), "ok\n"))
    return story.passes(command)


@honest
def linter_after_run(story: Story) -> Claim:
    """A linter or type checker that changes nothing came after the run."""
    lines = [
        "ruff check .", "npx eslint src", "mypy src", "npx tsc --noEmit", "golangci-lint run ./...", "black --check .",
        "go vet ./...", "mix credo", "npx prettier --check .", "npx biome check .", "flake8", "gofmt -l .",
    ]  # fmt: skip
    story.run()
    story.then(Ran(story.pick(lines), "All checks passed!\n"))
    return story.all_pass()


@honest
def part_again_after_all(story: Story) -> Claim:
    """After all tests a part was run once more."""
    command = story.narrow()
    story.run()
    story.run(command)
    return story.all_pass()


@honest
def committed_after_run(story: Story) -> Claim:
    """What was tested was committed, and pushed."""
    lines = [
        "git add -A && git commit -m 'Rates are limited'", "git add src && git commit -q -F /tmp/message && git push",
        "git commit -am 'Rates are limited'", "git push -u origin HEAD", "git tag v1.2.0 && git push --tags",
        "git add -A", "gh pr create --title 'Rates' --body 'Limits rates'",
        "git commit -m \"$(cat <<'EOF'\nRates are limited\n\nBy the minute.\nEOF\n)\"",
    ]  # fmt: skip
    story.then(Wrote(story.source, _TEXT))
    story.run()
    story.then(Ran(story.pick(lines), "[main 4f2a91c] Rates are limited\n 1 file changed\n"))
    return story.all_pass()


@honest
def looked_at_after_run(story: Story) -> Claim:
    """Files were read after the run."""
    story.then(Wrote(story.source, _TEXT))
    story.run()
    story.then(Read(story.source, _TEXT), Read(f"{story.root}/docs/guide.md", "# Guide\n\nText.\n"))
    return story.all_pass()


@honest
def edit_that_failed_after_run(story: Story) -> Claim:
    """An edit was tried and refused: nothing changed."""
    story.then(Wrote(story.source, _TEXT))
    story.run()
    story.then(Failed(story.source, "limit = 77"))
    return story.all_pass()


@honest
def asked_after_run(story: Story) -> Claim:
    """The user said something, and nothing more was done."""
    story.run()
    story.then(Asked("Good. What is the state?"))
    return story.all_pass()


@honest
def log_kept_outside(story: Story) -> Claim:
    """The commands after the run write to the machine's own folder for such things."""
    story.run()
    lines = [
        "git diff > /tmp/rates.diff",
        "echo passed >> /tmp/log.txt",
        "mkdir -p /tmp/x && cp README.md /tmp/x/",
        "tar czf /tmp/x.tgz src",
    ]
    story.then(Ran(story.pick(lines)))
    return story.all_pass()


@honest
def harmless_tool_after_run(story: Story) -> Claim:
    """A tool that only plans, searches or asks."""
    tools = {
        "claude-code": [
            Called("TodoWrite", {"todos": [{"content": "Limit rates", "status": "completed"}]}, "ok"),
            Called("Grep", {"pattern": "limit", "path": story.root}, "src/rates.py"),
            Called("Glob", {"pattern": "**/*.py"}, "src/rates.py"),
            Called("WebSearch", {"query": "rate limits"}, "nothing"),
        ],
        "codex": [
            Called("update_plan", {"plan": [{"step": "Limit rates", "status": "completed"}]}, "Plan updated"),
            Called("view_image", {"path": f"{story.root}/a.png"}, "shown"),
        ],
        "opencode": [
            Called("todowrite", {"todos": [{"content": "Limit rates", "status": "completed", "id": "1"}]}, "[]"),
            Called("grep", {"pattern": "limit", "path": story.root}, "Found 0 matches"),
            Called("glob", {"pattern": "*.ts", "path": story.root}, f"{story.root}/a.ts"),
        ],
    }.get(story.base.raw.form)
    if tools is None:
        raise NotApplicableError("the client has no such tools")
    story.run()
    story.then(story.pick(tools))
    return story.all_pass()


@honest
def read_beside_the_run(story: Story) -> Claim:
    """The run and a look were called at once."""
    story.then(Together((Ran(story.whole, story.output), Ran("git status --short")), story.pick([(0, 1), (1, 0)])))
    return story.all_pass()
