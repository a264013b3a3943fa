"""What tools for other machines, containers, clusters, terminals and issues change."""

from __future__ import annotations

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


_DOCKER_LOOKS: Final = _words(
    """ps images logs inspect version info stats top port diff history search events ls config help context system"""
)
_DOCKER_OUTSIDE: Final = _words(
    """build push pull tag rmi rm stop kill login logout network volume buildx rename pause unpause commit save image
    container down prune"""
)


def _docker(command: Command) -> Effect:
    """A container may have the workspace mounted: what runs in it may do anything, unless it only reads."""
    operands = command.operands(_words("-f --file -H --host --context -p --project-name --profile --env-file"))
    compose = operands[:1] == ["compose"] or command.name == "docker-compose"
    verb = next(iter(operands[1:] if operands[:1] == ["compose"] else operands), "help")
    if verb == "exec":
        return _executed(command)
    if verb == "run":
        mounted = command.has("-v", "--volume", "--mount", "--volumes-from", "-w")
        return ANYTHING if compose or mounted else OUTSIDE_ALONE
    if verb == "cp":
        return together([OUTSIDE_ALONE, command.wrote(*(each for each in operands[-1:] if ":" not in each))])
    if verb == "save" and command.value("-o", "--output"):
        return command.wrote(command.value("-o", "--output") or "")
    return NOTHING if verb in _DOCKER_LOOKS else OUTSIDE_ALONE if verb in _DOCKER_OUTSIDE else ANYTHING


def _executed(command: Command) -> Effect:
    words = command.words[command.words.index("exec") + 1 :]
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in ("-e", "-u", "-w", "--env", "--user", "--workdir", "--index") else words[1:]
    inner = command.as_words(words[1:])
    return OUTSIDE_ALONE if inner.kind == "none" else ANYTHING


_KUBE_LOOKS: Final = _words(
    """get describe logs explain top version api-resources cluster-info diff auth events api-versions"""
)


def _kubectl(command: Command) -> Effect:
    verb = next(iter(command.operands(_words("-n --namespace --context --kubeconfig"))), "version")
    if verb == "cp":
        return together([OUTSIDE_ALONE, command.wrote(*(each for each in command.operands()[-1:] if ":" not in each))])
    return NOTHING if verb in _KUBE_LOOKS else OUTSIDE_ALONE


def _terraform(command: Command) -> Effect:
    verb = next(iter(command.operands()), "version")
    if verb == "fmt":
        return NOTHING if command.has("-check", "--check") else command.wrote("*.tf", "*.tfvars")
    if verb == "init":
        return together([command.wrote(".terraform.lock.hcl"), command.made(".terraform", environment=True)])
    if verb == "plan":
        return command.wrote(command.value("-out", "--out") or "/dev/null")
    if verb in ("apply", "destroy", "import", "refresh", "taint", "untaint", "state"):
        return together([OUTSIDE_ALONE, command.wrote("terraform.tfstate*")])
    return NOTHING if verb in ("validate", "show", "output", "providers", "version", "graph", "console") else ANYTHING


def _cloud(command: Command) -> Effect:
    """`aws`, `gcloud`, `az`: the cloud; copies from it land in the last operand."""
    operands = command.operands()
    copies = any(word in ("cp", "sync", "mv", "rsync") for word in operands[:3])
    if copies and "://" not in operands[-1]:
        return together([OUTSIDE_ALONE, command.wrote(operands[-1])])
    return OUTSIDE_ALONE


def _tmux(command: Command) -> Effect:
    """What is typed into another terminal runs there."""
    verb = next(iter(command.operands(_words("-L -S -f"))), "")
    looks = ("list-", "display", "capture", "has", "show", "ls", "info")
    if verb.startswith(looks):
        return NOTHING
    return (
        OUTSIDE_ALONE
        if verb.startswith(("kill", "rename", "select", "swap", "move", "resize", "set", "detach", "attach"))
        else ANYTHING
    )


_BEADS_LOOKS: Final = _words(
    """show list ready where status statuses stats info blocked search dep-tree graph version help doctor types count
    stale log human prime worktree"""
)
_BEADS_BOOKS: Final = _words(
    """create update close reopen note comment comments dep label assign delete edit remember epic claim q flush dolt
    export"""
)


def _beads(command: Command) -> Effect:
    """Beads keeps the issues of a project in `.beads`."""
    verb = next(iter(command.operands(_words("--db --actor"))), "help")
    if verb in _BEADS_LOOKS and not command.has("--fix"):
        return NOTHING
    if verb in _BEADS_BOOKS:
        return command.made(".beads")
    return SOMETHING if verb in ("sync", "init", "import", "migrate", "hooks", "setup", "onboard") else ANYTHING


def _workmux(command: Command) -> Effect:
    """Workmux keeps a git worktree and a terminal window for each branch, beside the workspace."""
    verb = next(iter(command.operands()), "help")
    if verb in ("status", "list", "ls", "capture", "path", "help", "docs", "changelog", "dashboard"):
        return NOTHING
    if verb == "init":
        return command.wrote(".workmux.yaml")
    if verb == "setup":
        return INSTALLED
    return (
        OUTSIDE_ALONE
        if verb in ("add", "open", "close", "remove", "rm")
        else SOMETHING
        if verb == "merge"
        else ANYTHING
    )


def _entire(command: Command) -> Effect:
    """Entire keeps checkpoints of sessions in git, and its settings in the workspace."""
    verb = next(iter(command.operands()), "help")
    if verb in ("status", "version", "help", "explain", "logs", "sessions"):
        return NOTHING
    return SOMETHING if verb in ("enable", "disable", "configure", "rewind", "resume", "reset", "clean") else ANYTHING


def _psql(command: Command) -> Effect:
    scripts = [command.value("-c", "--command") or "", command.simple.fed_text or ""]
    odd = command.has("-f", "--file", "-o", "--output", "-L") or any("\\" in script for script in scripts)
    return ANYTHING if odd else OUTSIDE_ALONE


def _always(effect: Effect) -> Rule:
    return lambda _command: effect


def _looks(verbs: str, otherwise: Effect) -> Rule:
    known = _words(verbs)

    def rule(command: Command) -> Effect:
        verb = next(iter(command.operands()), "")
        return NOTHING if verb in known or command.has("--version", "--help") else otherwise

    return rule


def _make(command: Command) -> Effect:
    return NOTHING if command.has("-n", "--dry-run", "--just-print") else ANYTHING


def _ansible(command: Command) -> Effect:
    return NOTHING if command.has("--syntax-check", "--list-tasks", "--list-hosts") else ANYTHING


_SETTINGS: Final = msgspec.structs.replace(OUTSIDE_ALONE, environment=True)
RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(("docker", "podman", "docker-compose", "nerdctl"), _docker),
    **dict.fromkeys(("kubectl", "oc", "k9s"), _kubectl),
    **dict.fromkeys(("terraform", "tofu"), _terraform),
    **dict.fromkeys(
        ("aws", "gcloud", "az", "gsutil", "doctl", "heroku", "flyctl", "fly", "vercel", "netlify", "wrangler"), _cloud
    ),
    "tmux": _tmux,
    "bd": _beads,
    "beads": _beads,
    "workmux": _workmux,
    "entire": _entire,
    "psql": _psql,
    **dict.fromkeys(
        ("mysql", "redis-cli", "mongosh", "mongo", "nc", "telnet", "http", "https", "grpcurl", "wscat"),
        _always(OUTSIDE_ALONE),
    ),
    "systemctl": _looks("status list-units is-active is-enabled show cat list-unit-files", _SETTINGS),
    "service": _always(_SETTINGS),
    "launchctl": _looks("list print", _SETTINGS),
    "crontab": _always(_SETTINGS),
    "defaults": _looks("read find domains", _SETTINGS),
    "alembic": _looks("current history heads branches show check", ANYTHING),
    "ansible-playbook": _ansible,
    "direnv": _looks("status version", _SETTINGS),
}
"""Program → rule."""
