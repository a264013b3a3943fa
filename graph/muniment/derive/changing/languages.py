"""What the tools of the languages change: builds go into build folders, and scripts of a project may do anything.

* A script of the project is what its text says where that is known; else its conventional name must tell.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Mapping
from typing import Final

from muniment.derive.changing.checks import runner
from muniment.derive.changing.effect import (
    ANYTHING,
    INSTALLED,
    NOTHING,
    OUTSIDE_ALONE,
    SOMETHING,
    Command,
    Effect,
    together,
)
from muniment.derive.changing.packages import MANAGERS, managed
from muniment.derive.effect_tables import UNKNOWN
from muniment.derive.run_words import run_words

Rule = Callable[[Command], Effect]
Asking = Callable[[str, Command], Effect]
"""The effect of a script in the place of a command."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


BUILD_FOLDERS: Final = (
    "dist",
    "build",
    "out",
    "target",
    "lib",
    ".next",
    ".nuxt",
    ".output",
    ".svelte-kit",
    "storybook-static",
)


def _mix(command: Command) -> Effect:
    verb = command.rest[0] if command.rest else ""
    if verb == "format":
        return (
            NOTHING
            if command.has("--check-formatted", "--dry-run")
            else command.wrote(*(command.operands()[1:] or ["."]))
        )
    if verb in ("deps.get", "deps.update", "deps.unlock", "deps.clean"):
        return together([command.wrote("mix.lock"), command.made("deps"), INSTALLED])
    if verb in ("local.hex", "local.rebar", "archive.install"):
        return INSTALLED
    if verb.startswith("ecto.") and verb not in ("ecto.gen.migration", "ecto.gen.repo", "ecto.dump"):
        return OUTSIDE_ALONE
    looks = verb in (
        "help",
        "deps",
        "xref",
        "phx.routes",
        "hex.info",
        "deps.compile",
        "deps.tree",
        "app.tree",
        "hex.audit",
        "clean",
    )
    return NOTHING if looks else runner(command)


def _go(command: Command) -> Effect:
    verb = command.rest[0] if command.rest else ""
    if verb in ("doc", "list", "version", "env", "help", "vet"):
        return OUTSIDE_ALONE if verb == "env" and command.has("-w", "-u") else NOTHING
    if verb == "clean":
        return OUTSIDE_ALONE if command.has("-testcache", "-cache", "-modcache") else SOMETHING
    if verb in ("fmt", "fix"):
        return command.wrote("*.go")
    if verb == "mod":
        return _go_mod(command)
    if verb == "get":
        return together([command.wrote("go.mod", "go.sum"), INSTALLED])
    if verb == "install":
        return INSTALLED
    if verb == "work":
        return command.wrote("go.work", "go.work.sum", "go.mod")
    if verb == "build":
        return _go_build(command)
    return ANYTHING if verb in ("generate", "run") else runner(command)


def _go_mod(command: Command) -> Effect:
    verb = command.rest[1] if len(command.rest) > 1 else ""
    if verb in ("graph", "why", "verify"):
        return NOTHING
    if verb == "download":
        return INSTALLED
    if verb == "vendor":
        return command.made("vendor", environment=True)
    return together([command.wrote("go.mod", "go.sum"), INSTALLED])


def _go_build(command: Command) -> Effect:
    """A build of several packages, or of a library, is thrown away; one of a main package leaves its program, named
    as its folder or the module, here. Whether a package is a main one its words do not tell.
    """
    into = command.value("-o")
    if into is not None:
        return command.wrote(into)
    if any(word.endswith("...") for word in command.rest):
        return NOTHING
    operands = command.operands(_words("-tags -ldflags -gcflags -mod -p -asmflags"))[1:]
    if len(operands) > 1 and not all(word.endswith(".go") for word in operands):
        return NOTHING
    name = posixpath.basename((operands or ["."])[0].rstrip("/").removesuffix(".go"))
    return command.made(name) if re.fullmatch(r"\w[\w.-]*", name) else _go_build_here(command, operands)


_GO_MODULE: Final = re.compile(r"^module\s+\S*?([\w.-]+?)(?:/v\d+)?\s*$", re.MULTILINE)


def _go_build_here(command: Command, operands: list[str]) -> Effect:
    """A program is named as the module whose text is known, else as the folder; nobody keeps either."""
    if operands not in ([], ["."], ["./"]):
        return SOMETHING
    module = _GO_MODULE.search(command.text_of("go.mod") or "")
    folder = posixpath.basename(command.path(".") or "")
    name = module[1] if module is not None else folder
    return command.made(name) if name else SOMETHING


_CARGO_LOOKS: Final = _words(
    "tree metadata search info version help read-manifest locate-project pkgid audit outdated deny --version --list"
)


def _cargo(command: Command) -> Effect:
    verbs = [
        word
        for word in command.operands(_words("--manifest-path -p --package --features --target -j"))
        if word[:1] != "+"
    ]
    verb = verbs[0] if verbs else "help"
    if verb in _CARGO_LOOKS:
        return NOTHING
    if verb in ("add", "remove", "rm", "update", "generate-lockfile", "upgrade", "fetch"):
        return together([command.wrote("Cargo.toml", "Cargo.lock"), INSTALLED])
    if verb in ("install", "uninstall"):
        return INSTALLED
    if verb == "fmt":
        return NOTHING if command.has("--check") else command.wrote("*.rs")
    if verb in ("fix", "new", "init", "vendor", "package"):
        return SOMETHING
    if verb == "clean":
        return command.made("target")
    if verb == "clippy" and command.has("--fix"):
        return command.wrote("*.rs")
    if verb in ("publish", "login", "yank"):
        return OUTSIDE_ALONE
    return command.made("target") if verb in ("doc", "bench") else ANYTHING if verb == "run" else runner(command)


_FIXES: Final = re.compile(r"(?:fmt|format|fix|prettier)(?:[:_-][\w:-]+)?|lint[:_-]fix")
_FORMAT_CHECKS: Final = _words("fmt:check format:check format-check check-format prettier:check")


def script_runner(asking: Asking) -> Rule:
    """Make the rule for npm and its like: a package manager, or a script of the project."""

    def rule(command: Command) -> Effect:
        known = managed(command) if command.name in MANAGERS else None
        if known is not None:
            return known
        text = _script_text(command)
        told = asking(text, command) if text is not None else ANYTHING
        return _by_its_name(command) if told.kind == UNKNOWN else told

    return rule


def _by_its_name(command: Command) -> Effect:
    """What a script of the project does, as far as its conventional name tells."""
    verbs = command.operands(_words("-C --prefix --filter -F -w --workspace --cwd -f -j"))
    if any(_FIXES.fullmatch(verb) for verb in verbs[:2]):
        return NOTHING if _FORMAT_CHECKS & set(verbs) else SOMETHING
    run = run_words(command.words)
    named = bool(verbs) and run is not None and run.family == "build"
    if named and command.name not in ("make", "gmake", "just", "task", "rake", "mise"):
        return together([command.made(*BUILD_FOLDERS), SOMETHING])
    return runner(command)


def _script_text(command: Command) -> str | None:
    """Return the text of a script of the project: as `package.json` has it, or as its runner printed it."""
    if command.name not in ("npm", "pnpm", "yarn", "bun"):
        return None
    elsewhere = command.has("-C", "--prefix", "--filter", "-F", "-w", "--cwd")
    words = [word for word in command.rest if word not in ("run", "run-script", "--silent", "-s", "--if-present")]
    if not words or elsewhere:
        return None
    name = {"t": "test"}.get(words[0], words[0])
    scripts = _scripts_of(command.text_of("package.json")) or command.ground.scripts
    text = scripts.get(name, scripts.get("") if name not in scripts and len(scripts) == 1 else None)
    if text is None:
        return None
    more = " ".join(words[2:] if words[1:2] == ["--"] else words[1:])
    parts = (scripts.get(f"pre{name}"), f"{text} {more}" if more else text, scripts.get(f"post{name}"))
    return " && ".join(part for part in parts if part is not None)


def _scripts_of(manifest: str | None) -> Mapping[str, str]:
    try:
        scripts = json.loads(manifest).get("scripts", {}) if manifest is not None else {}
    except (ValueError, AttributeError):
        return {}
    return {k: v for k, v in scripts.items() if isinstance(v, str)} if isinstance(scripts, dict) else {}


def _manager(command: Command) -> Effect:
    known = managed(command)
    return ANYTHING if known is None else known


def _dotnet(command: Command) -> Effect:
    verb = command.rest[0] if command.rest else ""
    if verb in ("restore", "tool", "workload"):
        return command.made("obj", environment=True)
    if verb == "format":
        return NOTHING if command.has("--verify-no-changes") else SOMETHING
    if verb in ("add", "remove", "new", "sln"):
        return SOMETHING
    return NOTHING if verb in ("--info", "--list-sdks", "list", "clean") else runner(command)


_MAVEN_GOALS: Final = _words(
    """clean validate compile test-compile test package verify dependency:tree dependency:resolve help:effective-pom
    checkstyle:check spotless:check integration-test process-classes process-test-classes spotbugs:check
    enforcer:enforce"""
)


def _maven(command: Command) -> Effect:
    verbs = command.operands(_words("-pl -f -P -s -T -rf --projects --file"))
    if verbs and all(verb in _MAVEN_GOALS for verb in verbs):
        return command.made("target")
    if verbs and all(verb in _MAVEN_GOALS | {"install", "dependency:go-offline"} for verb in verbs):
        return together([command.made("target"), INSTALLED])
    return SOMETHING if any("spotless:apply" in verb or verb.endswith(":format") for verb in verbs) else runner(command)


_GRADLE_TASKS: Final = _words(
    """clean build test check assemble compileJava compileKotlin compileTestJava classes testClasses jar dependencies
    tasks projects properties help lint detekt ktlintCheck spotlessCheck checkstyleMain checkstyleTest javadoc
    integrationTest"""
)


def _gradle(command: Command) -> Effect:
    verbs = [
        verb.rsplit(":", 1)[-1]
        for verb in command.operands(_words("-p -b -x --tests -P -D --project-dir --exclude-task"))
    ]
    if verbs and all(verb in _GRADLE_TASKS for verb in verbs):
        return command.made("build", ".gradle")
    return SOMETHING if "spotlessApply" in verbs or "ktlintFormat" in verbs else runner(command)


RULES: Final[dict[str, Rule]] = {
    "mix": _mix,
    "go": _go,
    "cargo": _cargo,
    "dotnet": _dotnet,
    **dict.fromkeys(("mvn", "mvnw"), _maven),
    **dict.fromkeys(("gradle", "gradlew"), _gradle),
    **dict.fromkeys(set(MANAGERS) - {"npm", "pnpm", "yarn", "bun"}, _manager),
}
"""Program → rule."""
