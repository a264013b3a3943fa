"""What version control changes: its own books are outside, the working tree is not.

* Commits, branches, tags, the index and remotes are version control only. What puts other content into the working tree
  writes: the files that are named, else nobody knows which.
* Hooks are not looked at here: what they did is told by the output of a commit. A verb that is not git's is an alias,
  and may be anything; so may a setting that names a program.
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
from muniment.derive.changing.patches import patched_paths
from muniment.derive.effect_tables import GIT_NONE, GIT_OUTSIDE, GIT_VALUED, GIT_WRITES

Rule = Callable[[Command], Effect]

_PROGRAMS: Final = re.compile(
    r"alias\.|core\.(?:editor|pager|hookspath|fsmonitor|sshcommand)|diff\.external|.*\.(?:textconv|command|cmd|driver)|"
    r"sequence\.editor|pager\.|filter\.",
    re.IGNORECASE,
)
_QUIET_PROGRAMS: Final = frozenset({"", "cat", "true", ":", "less", "false", "never", "/dev/null"})
_PROGRAM_SETTINGS: Final = re.compile(r"GIT_(?:EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|PAGER|SSH_COMMAND)=(.*)", re.DOTALL)
_FOLDER: Final = ("-C", "--work-tree")


def git(command: Command) -> Effect:
    """The effect of a git command."""
    rest, folder, odd = list(command.rest), "", False
    while rest and rest[0].startswith("-"):
        option, equals, value = rest[0].partition("=")
        takes = option in GIT_VALUED and not equals
        value = rest[1] if takes and len(rest) > 1 else value
        if option in _FOLDER:
            folder = value
        if option == "-c":
            key, _, program = value.partition("=")
            odd = odd or (_PROGRAMS.match(key) is not None and program not in _QUIET_PROGRAMS)
        rest = rest[2:] if takes else rest[1:]
    if not rest:
        return NOTHING
    if odd or any(m and m[1] not in _QUIET_PROGRAMS for m in map(_PROGRAM_SETTINGS.match, command.simple.settings)):
        return ANYTHING
    inside = msgspec.structs.replace(command, words=tuple(rest))
    if folder:
        simple = command.simple
        where = inside.placed(folder, simple.folder)
        place = "?" if where is None or "$" in folder else where
        inside = msgspec.structs.replace(inside, simple=msgspec.structs.replace(simple, folder=place, strays=()))
    return _of_verb(inside)


def _of_verb(command: Command) -> Effect:
    verb = command.words[0]
    if command.has("-O", "--ext-diff", "--open-files-in-pager", "--textconv") and verb not in ("checkout",):
        return ANYTHING
    output = command.value("--output")
    if output is not None and verb not in ("archive", "format-patch"):
        return command.wrote(output)
    if verb in ("rebase", "merge", "am") and command.has("-x", "--exec"):
        return ANYTHING
    rule = _VERBS.get(verb)
    if rule is not None:
        return rule(command)
    if verb in GIT_NONE:
        return NOTHING
    if verb in GIT_OUTSIDE:
        return OUTSIDE_ALONE
    return SOMETHING if verb in GIT_WRITES else ANYTHING


def _paths(command: Command) -> list[str] | None:
    """Return what stands behind `--`, None where there is no `--`."""
    return list(command.rest[command.rest.index("--") + 1 :]) if "--" in command.rest else None


def _stash(command: Command) -> Effect:
    verb = command.rest[:1]
    if verb in (("list",), ("show",)):
        return NOTHING
    if verb in (("drop",), ("clear",), ("create",), ("store",)):
        return OUTSIDE_ALONE
    paths = _paths(command)
    return command.wrote(*paths) if paths and verb in (("push",), ("save",)) else SOMETHING


def _reset(command: Command) -> Effect:
    return SOMETHING if command.has("--hard", "--merge", "--keep") else OUTSIDE_ALONE


def _restore(command: Command) -> Effect:
    staged = command.has("--staged", "-S")
    if staged and not command.has("--worktree", "-W"):
        return OUTSIDE_ALONE
    paths = _paths(command) or command.operands(frozenset({"-s", "--source"}))
    return command.wrote(*paths) if paths else SOMETHING


def _rm(command: Command) -> Effect:
    if command.has("--cached"):
        return OUTSIDE_ALONE
    return NOTHING if command.has("-n", "--dry-run") else _operands(command)


def _operands(command: Command) -> Effect:
    operands = command.operands()
    return together([command.wrote(*operands), SOMETHING if command.simple.fed or not operands else NOTHING])


def _clean(command: Command) -> Effect:
    if any(re.fullmatch(r"-\w*n\w*|--dry-run", word) for word in command.rest):
        return NOTHING
    operands = command.operands(frozenset({"-e", "--exclude"}))
    return command.wrote(*operands) if operands else SOMETHING


def _apply(command: Command) -> Effect:
    looks = command.has("--check", "--stat", "--numstat", "--summary") and not command.has("--apply")
    if looks:
        return NOTHING
    if command.has("--cached"):
        return OUTSIDE_ALONE
    text = command.simple.fed_text
    for operand in command.operands(frozenset({"-p", "-C", "--directory", "--exclude", "--include"})):
        text = command.text_of(operand) if operand != "-" else text
    strip = next((int(m[1]) for word in command.rest if (m := re.fullmatch(r"-p(\d+)", word))), None)
    paths = patched_paths(text, 1 if strip is None else strip) if text is not None else None
    return SOMETHING if paths is None or command.has("--directory", "--reject") else command.wrote(*paths)


def _checkout(command: Command) -> Effect:
    created = command.rest[:1] in (("-b",), ("-c",), ("-B",), ("-C",)) and len(command.rest) == 2
    if created:
        return OUTSIDE_ALONE
    paths = _paths(command)
    if paths:
        return command.wrote(*paths)
    operands = command.operands(frozenset({"-b", "-B", "-c", "-C"}))
    whole = operands[:1] in ([], ["."]) or command.has("-p", "--patch", "-f", "--force")
    return (
        command.wrote(".")
        if operands == ["."]
        else SOMETHING
        if whole or len(operands) < 2
        else _tree_ish(command, operands)
    )


def _tree_ish(command: Command, operands: list[str]) -> Effect:
    """`git checkout HEAD~1 a b`: where the first operand is a revision the rest are paths; it may be a path as well."""
    return SOMETHING if command.has("-b", "-B", "-c", "-C") else command.wrote(*operands)


def _worktree(command: Command) -> Effect:
    verb = command.rest[:1]
    if verb == ("list",):
        return NOTHING
    operands = command.operands(frozenset({"-b", "-B", "--reason"}))[1:]
    touched = operands[:1] if verb == ("add",) else operands if verb in (("remove",), ("move",)) else []
    return together([OUTSIDE_ALONE, command.wrote(*touched)])


def _submodule(command: Command) -> Effect:
    verb = next(iter(command.operands()), "status")
    return NOTHING if verb in ("status", "summary") else ANYTHING if verb == "foreach" else SOMETHING


def _bisect(command: Command) -> Effect:
    verb = command.rest[:1]
    return ANYTHING if verb == ("run",) else NOTHING if verb in (("log",), ("view",), ("visualize",)) else SOMETHING


def _archive(command: Command) -> Effect:
    into = command.value("-o", "--output")
    return command.wrote(into) if into is not None else NOTHING


def _format_patch(command: Command) -> Effect:
    if command.has("--stdout"):
        return NOTHING
    folder = command.value("-o", "--output-directory", "--output")
    return command.wrote(folder or "*.patch")


def _init(command: Command) -> Effect:
    operands = command.operands(frozenset({"-b", "--initial-branch", "--template"}))
    return together([OUTSIDE_ALONE, command.made(*operands[:1])])


def _clone(command: Command) -> Effect:
    operands = command.operands(
        frozenset(["-b", "--branch", "--depth", "-o", "--origin", "--reference", "-c", "--config", "--filter", "-j"])
    )
    if not operands:
        return SOMETHING
    folder = operands[1] if len(operands) > 1 else re.sub(r"(?:/?\.git)?/*\Z", "", operands[0]).rsplit("/", 1)[-1]
    return together([OUTSIDE_ALONE, command.wrote(folder or ".")])


def _bundle(command: Command) -> Effect:
    return command.wrote(*command.operands()[1:2]) if command.rest[:1] == ("create",) else NOTHING


def _lfs(command: Command) -> Effect:
    verb = command.rest[:1]
    return NOTHING if verb in (("ls-files",), ("status",), ("env",)) else SOMETHING


def _branch(command: Command) -> Effect:
    changes = any(
        re.match(r"-[dDmMcCfutT]|--(?:delete|move|copy|force|set-up|unset|edit|track|no-track|create)", w)
        for w in command.rest
    )
    lists = command.has("-l", "--list", "--contains", "--merged", "--no-merged", "--points-at", "--show-current")
    return NOTHING if not changes and (lists or not command.operands(_LISTING)) else OUTSIDE_ALONE


def _tag(command: Command) -> Effect:
    changes = any(re.match(r"-[asufdmF]|--(?:annotate|sign|delete|force|message|file)", word) for word in command.rest)
    lists = command.has("-l", "--list", "-n", "--contains", "--points-at", "--merged", "-v", "--verify")
    return NOTHING if not changes and (lists or not command.operands(_LISTING)) else OUTSIDE_ALONE


def _remote(command: Command) -> Effect:
    verb = next(iter(command.operands()), "show")
    return NOTHING if verb in ("show", "get-url") else OUTSIDE_ALONE


def _config(command: Command) -> Effect:
    changes = command.has(
        "--add", "--unset", "--unset-all", "--replace-all", "--edit", "-e", "--remove-section", "set", "unset"
    )
    reads = command.has("--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list", "get", "list")
    alone = len(command.operands(frozenset({"-f", "--file", "--type", "--blob", "--default"}))) < 2
    return NOTHING if not changes and (reads or alone) else OUTSIDE_ALONE


def _first_looks(*verbs: str) -> Rule:
    def rule(command: Command) -> Effect:
        return NOTHING if next(iter(command.operands()), "") in verbs else OUTSIDE_ALONE

    return rule


def _reflog(command: Command) -> Effect:
    return OUTSIDE_ALONE if command.rest[:1] in (("expire",), ("delete",)) else NOTHING


def _symbolic_ref(command: Command) -> Effect:
    return (
        NOTHING if len(command.operands(frozenset({"-m"}))) < 2 and not command.has("-d", "--delete") else OUTSIDE_ALONE
    )


def _staged(command: Command) -> Effect:
    return NOTHING if command.has("--dry-run") or command.rest[:1] == ("-n",) else OUTSIDE_ALONE


_LISTING: Final = frozenset(
    {"--sort", "--format", "--contains", "--merged", "--no-merged", "--points-at", "--column", "--abbrev"}
)
_VERBS: Final[dict[str, Rule]] = {
    "branch": _branch,
    "tag": _tag,
    "remote": _remote,
    "config": _config,
    "notes": _first_looks("", "show", "list"),
    "reflog": _reflog,
    "symbolic-ref": _symbolic_ref,
    "add": _staged,
    "commit": lambda command: NOTHING if command.has("--dry-run") else OUTSIDE_ALONE,
    "stash": _stash,
    "reset": _reset,
    "restore": _restore,
    "rm": _rm,
    "mv": _operands,
    "clean": _clean,
    "apply": _apply,
    "checkout": _checkout,
    "switch": _checkout,
    "worktree": _worktree,
    "submodule": _submodule,
    "bisect": _bisect,
    "archive": _archive,
    "format-patch": _format_patch,
    "init": _init,
    "clone": _clone,
    "bundle": _bundle,
    "lfs": _lfs,
}

_GH_WRITES: Final = frozenset(
    {
        ("pr", "checkout"),
        ("repo", "sync"),
        ("repo", "clone"),
        ("repo", "fork"),
        ("gist", "clone"),
        ("co",),
        ("mr", "checkout"),
    }
)


_GH_LOOKS: Final = frozenset({"list", "view", "status", "checks", "diff", "watch", "ls"})
_API_SENDS: Final = re.compile(r"-i?[fF]|--(?:raw-)?field\b|--input\b|\$")


def hub(command: Command) -> Effect:
    """`gh` and `glab`: a remote, but for what they put into the working tree."""
    pair = tuple(command.operands(frozenset({"-R", "--repo"}))[:2])
    if (
        pair in _GH_WRITES
        or pair[:1] in _GH_WRITES
        or (pair == ("pr", "merge") and command.has("-d", "--delete-branch"))
    ):
        return SOMETHING
    if (pair[1:] and pair[1] in _GH_LOOKS) or pair[:1] == ("search",):
        return NOTHING
    if pair[:1] == ("api",):
        return NOTHING if _only_asks(command) else OUTSIDE_ALONE
    if pair in (("run", "download"), ("release", "download")):
        return together([OUTSIDE_ALONE, command.wrote(command.value("-D", "--dir", "-O", "--output") or ".")])
    if pair[:1] == ("extension",) and pair[1:] != ("list",):
        return INSTALLED
    return ANYTHING if pair[:1] in (("alias",), ("codespace",)) and pair[1:] != ("list",) else OUTSIDE_ALONE


def _only_asks(command: Command) -> bool:
    """Tell whether a request of `api` changes nothing: one with fields is a POST unless another method is named."""
    attached = next((word[2:].lstrip("=") for word in command.rest if word.startswith("-X") and len(word) > 2), None)
    method = attached or command.value("-X", "--method")
    if method is not None:
        return method.upper() in ("GET", "HEAD")
    return not any(_API_SENDS.match(word) for word in command.rest)


RULES: Final[dict[str, Rule]] = {"git": git, "gh": hub, "glab": hub}
"""Program → rule."""
