"""What package managers change: manifests and locks in the workspace, packages outside of it, and so the environment.

* An installation whose packages are the workspace's own runs its build scripts: what they write is not named.
* Looking things up is harmless.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

import msgspec

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

Rule = Callable[[Command], Effect]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_OWN_PACKAGE: Final = re.compile(r"\.{1,2}(?:/|\[|\Z)|-e\b|--editable|/(?!tmp/).*(?:\]|/)\Z|file:")
_PIP_VALUED: Final = _words("-r -c --requirement --constraint -i --target -t --prefix") | {
    f"--{which}-url" for which in ("index", "extra-index")
}
_PIP_LOOKS: Final = _words("list show freeze check index inspect debug help config search hash cache")


class Manager(msgspec.Struct, frozen=True, kw_only=True):
    """A package manager by its verbs. `kept` are the files that it changes, `aside` the folders that it fills."""

    looks: frozenset[str]
    installs: frozenset[str]
    locks: frozenset[str] = frozenset()
    kept: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()
    outside: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    runs_own_scripts: bool = False


_JS_LOOKS: Final = _words(
    """view info show ls list outdated why audit search whoami bin root explain fund doctor ping prefix query
    licenses help owner docs repo bugs"""
)
_JS_INSTALLS: Final = _words(
    """install i ci add remove rm un uninstall update up upgrade dedupe prune link unlink rebuild import clean-
    install isntall"""
)
_JS_OUTSIDE: Final = _words(
    "publish login logout token deprecate unpublish dist-tag access org team hook star profile cache store"
)

MANAGERS: Final[dict[str, Manager]] = {
    "npm": Manager(
        looks=_JS_LOOKS,
        installs=_JS_INSTALLS,
        outside=_JS_OUTSIDE,
        kept=("package.json", "package-lock.json"),
        aside=("node_modules",),
        valued=_words("--prefix -C -w --workspace --registry --loglevel --omit --include"),
        runs_own_scripts=True,
    ),
    "pnpm": Manager(
        looks=_JS_LOOKS,
        installs=_JS_INSTALLS,
        outside=_JS_OUTSIDE,
        kept=("package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"),
        aside=("node_modules",),
        valued=_words("-C --dir --filter -F --registry"),
        runs_own_scripts=True,
    ),
    "yarn": Manager(
        looks=_JS_LOOKS,
        installs=_JS_INSTALLS | {""},
        outside=_JS_OUTSIDE,
        kept=("package.json", "yarn.lock"),
        aside=("node_modules", ".yarn"),
        valued=_words("--cwd --registry"),
        runs_own_scripts=True,
    ),
    "bun": Manager(
        looks=_JS_LOOKS | {"pm"},
        installs=_JS_INSTALLS,
        outside=_words("publish"),
        kept=("package.json", "bun.lock", "bun.lockb"),
        aside=("node_modules",),
        valued=_words("--cwd --filter"),
        runs_own_scripts=True,
    ),
    "poetry": Manager(
        looks=_words("show check env about search source config help"),
        installs=_words("install add remove update sync self"),
        locks=_words("lock version"),
        outside=_words("publish cache"),
        kept=("pyproject.toml", "poetry.lock"),
        runs_own_scripts=True,
    ),
    "pdm": Manager(
        looks=_words("list info show outdated config help"),
        installs=_words("install add remove update sync use"),
        locks=_words("lock"),
        kept=("pyproject.toml", "pdm.lock", ".pdm-python"),
        runs_own_scripts=True,
    ),
    "pipenv": Manager(
        looks=_words("graph check verify --venv --where requirements"),
        installs=_words("install uninstall update sync clean upgrade"),
        locks=_words("lock"),
        kept=("Pipfile", "Pipfile.lock"),
    ),
    "bundle": Manager(
        looks=_words("list show info outdated check config env licenses open platform help"),
        installs=_words("install update add remove"),
        locks=_words("lock"),
        kept=("Gemfile", "Gemfile.lock"),
        aside=("vendor/bundle", ".bundle"),
    ),
    "gem": Manager(
        looks=_words("list info search which environment contents dependency help outdated specification"),
        installs=_words("install uninstall update cleanup"),
        outside=_words("push yank signin owner"),
    ),
    "composer": Manager(
        looks=_words(
            "show info outdated validate licenses why why-not diagnose check-platform-reqs audit search help suggests"
        ),
        installs=_words("install update require remove i u r"),
        locks=_words("dump-autoload dumpautoload"),
        kept=("composer.json", "composer.lock"),
        aside=("vendor",),
        runs_own_scripts=True,
    ),
    "brew": Manager(
        looks=_words(
            "list ls info search outdated deps uses config doctor leaves help --prefix --version desc home cat"
        ),
        installs=_words(
            "install uninstall upgrade update reinstall tap untap link unlink cleanup pin unpin services bundle"
        ),
    ),
    **dict.fromkeys(
        (
            "apt",
            "apt-get",
            "dnf",
            "yum",
            "apk",
            "pacman",
            "zypper",
            "microdnf",
            "port",
            "snap",
            "choco",
            "winget",
            "nix-env",
        ),
        Manager(
            looks=_words("list search show info policy depends rdepends -Q -Qi -Ql -Ss -Si query provides help"),
            installs=_words(
                "install remove purge update upgrade autoremove add del fix clean autoclean dist-upgrade full-upgrade "
                "build-dep reinstall erase groupinstall makecache -S -Sy -Syu -R -i -iA -U"
            ),
            valued=_words("-o -t --target-release -c"),
        ),
    ),
    "rustup": Manager(
        looks=_words("show which doc check help --version"),
        installs=_words("install update default toolchain target component override self uninstall set"),
    ),
    **dict.fromkeys(
        ("conda", "mamba", "micromamba"),
        Manager(
            looks=_words("list info search config help activate deactivate"),
            installs=_words("install create remove update env clean init uninstall upgrade"),
        ),
    ),
    **dict.fromkeys(
        ("nvm", "fnm", "volta", "pyenv", "rbenv", "asdf", "rvm", "sdk", "pipx", "corepack", "tfenv", "goenv", "jenv"),
        Manager(
            looks=_words(
                "list ls ls-remote current version versions which which-dir whence where use help latest root --version"
            ),
            installs=_words(
                "install uninstall global local default alias reshim plugin inject upgrade enable prepare pin set "
                "shell rehash reinstall uninject ensurepath"
            ),
        ),
    ),
    "helm": Manager(
        looks=_words("list ls get status template lint show search history version env verify help"),
        installs=frozenset(),
        locks=_words("dependency dep create package pull"),
        kept=("charts", "Chart.lock", "*.tgz"),
        outside=_words("install upgrade uninstall rollback repo push registry test plugin delete"),
    ),
    "pod": Manager(
        looks=_words("list outdated search spec env"),
        installs=_words("install update"),
        kept=("Podfile.lock", "*.xcodeproj", "*.xcworkspace"),
        aside=("Pods",),
    ),
}
"""Program → manager."""


def managed(command: Command) -> Effect | None:
    """Return the effect of a package manager's verb, None where the verb is none of its own (a script, a runner)."""
    manager = MANAGERS[command.name]
    verbs = command.verbs(manager.valued)
    verb = verbs[0] if verbs else next((word for word in command.rest if word in manager.looks | manager.installs), "")
    if command.has("--dry-run", "--help", "-h"):
        return NOTHING
    if verb in manager.looks and not (verb == "audit" and "fix" in verbs):
        return NOTHING if verb not in ("config", "owner", "pm") or len(verbs) < 3 else OUTSIDE_ALONE
    if verb in manager.outside:
        return OUTSIDE_ALONE
    if verb == "pack":
        return command.made("*.tgz") if len(verbs) > 1 else SOMETHING
    if verb == "audit" or verb in manager.installs or verb in manager.locks:
        return _changed(command, manager, verb, verbs)
    return None


def _changed(command: Command, manager: Manager, verb: str, verbs: list[str]) -> Effect:
    folder = command.value("--prefix", "-C", "--dir", "--cwd", "--directory", "-d")
    if command.has("-g", "--global", "global") or not (manager.kept or manager.aside):
        return INSTALLED
    if folder is not None:
        return msgspec.structs.replace(SOMETHING, environment=True)
    own = manager.runs_own_scripts and len(verbs) < 2 and verb not in manager.locks
    own = own and not command.has("--ignore-scripts", "--no-scripts", "--no-root")
    return together(
        [
            command.wrote(*(manager.kept if len(verbs) > 1 or not manager.runs_own_scripts else manager.kept[1:])),
            command.made(*manager.aside),
            INSTALLED if verb not in manager.locks else OUTSIDE_ALONE,
            SOMETHING if own else NOTHING,
        ]
    )


def pip(command: Command) -> Effect:
    """`pip`, `pip3`, and `uv pip` without its `uv`."""
    verbs = command.operands(_PIP_VALUED)
    verb = verbs[0] if verbs else ""
    if verb in _PIP_LOOKS or not verb or command.has("--dry-run", "--help", "-h"):
        return NOTHING
    if verb in ("download", "wheel"):
        return command.wrote(command.value("-d", "--dest", "-w", "--wheel-dir") or ".")
    if verb not in ("install", "uninstall", "sync", "compile"):
        return ANYTHING
    if verb == "compile":
        return command.wrote(command.value("-o", "--output-file") or "*.txt")
    target = command.value("-t", "--target", "--prefix", "--root")
    own = any(_OWN_PACKAGE.match(word) for word in command.rest)
    return together([INSTALLED, command.made(*([target] if target else [])), SOMETHING if own else NOTHING])


_UV_INSTALLS: Final = _words("sync add remove")


def uv(command: Command) -> Effect:
    """`uv`, but for `uv run`, which is taken off as a prefix."""
    verb = command.rest[0] if command.rest else ""
    if verb == "pip":
        return pip(msgspec.structs.replace(command, words=("pip", *command.rest[1:])))
    if verb in ("tree", "version", "help", "export", "self", "cache", "auth") or not verb:
        into = command.value("-o", "--output-file")
        return command.wrote(*([into] if into else []))
    if verb == "venv":
        operands = command.operands(_words("-p --python --prompt --seed"))[1:]
        return command.made(operands[0] if operands else ".venv", environment=True)
    if verb == "lock":
        return command.wrote("uv.lock")
    if verb in _UV_INSTALLS:
        own = SOMETHING if verb == "sync" else NOTHING
        kept = () if verb == "sync" else ("pyproject.toml",)
        return together([command.wrote(*kept, "uv.lock"), command.made(".venv"), INSTALLED, own])
    if verb in ("python", "tool"):
        return NOTHING if command.rest[1:2] in (("list",), ("find",), ("dir",)) else INSTALLED
    if verb == "build":
        return command.made(command.value("-o", "--out-dir") or "dist")
    return OUTSIDE_ALONE if verb == "publish" else command.wrote(".") if verb == "init" else ANYTHING


RULES: Final[dict[str, Rule]] = {"pip": pip, "pip3": pip, "pip2": pip, "uv": uv}
"""Program → rule. Managers that also run scripts are asked by `managed`."""
