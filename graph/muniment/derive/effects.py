"""Effects: what a shell command line may have changed.

* `none`: it only reads, as far as the files that people keep go. Test runners, linters, type checkers and compilers
  count as such although they write caches and build folders, unless they are told to update snapshots or to fix what
  they find.
* `outside`: version control's own books, a remote, or (where the workspace's `root` is given) files outside of it.
* `writes`: it changes files of the workspace; `unknown`: nobody can tell. Unsure is unknown.
* A line's effect is that of all its commands; what a loop or condition might run counts as run.
* A script that the line itself wrote before it runs it is known by its text; so is one whose text the caller knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from muniment.derive.changing import checks, files, languages, packages, reading_tools, scripting, services, versioning
from muniment.derive.changing.effect import (
    ANYTHING,
    NOTHING,
    ORDER,
    OUTSIDE_ALONE,
    SOMETHING,
    Command,
    Effect,
    Ground,
    together,
)
from muniment.derive.effect_tables import NONE, OUTSIDE, OUTSIDE_ONLY, READERS, UNKNOWN, UPDATING_SETTING
from muniment.derive.shell import SHELLS, Simple, simple_commands

__all__ = ["Effect", "effect_of", "effect_of_simple", "effects_of", "widest"]

Rule = Callable[[Command], Effect]

_ASKS: Final = frozenset({"--version", "-V", "--help", "-h", "version", "help"})
_DEEPEST = 4
"""Scripts that run scripts, beyond which nobody can tell."""
_PREPARES: Final = frozenset({"cd", "export", "set", "source", ".", "mkdir", "echo", "pushd", ":", "true"})


def effects_of(
    command: str,
    root: str | None = None,
    cwd: str | None = None,
    *,
    text_of: Callable[[str], str | None] | None = None,
    scripts: Mapping[str, str] | None = None,
) -> Effect:
    """Return the effect of a shell command line.

    `root` is the workspace's folder: what is written outside of it by a path that tells so is outside. `cwd` is where
    the line begins, `root` if it is not given. `text_of` gives the whole text of a file by its canonical path, None
    where it is not known; `scripts` are those of the project that are known by their names, "" for the only one.
    """
    return _Line(Ground(root=root, cwd=cwd, scripts=scripts or {}), _Texts(text_of, root)).of(command)


def effect_of(command: str, root: str | None = None) -> str:
    """Return the kind of a command line's effect: none, outside, writes or unknown."""
    return effects_of(command, root).kind


def effect_of_simple(
    simple: Simple,
    root: str | None = None,
    cwd: str | None = None,
    *,
    text_of: Callable[[str], str | None] | None = None,
) -> str:
    """Return the kind of a simple command's effect, with its redirections and substitutions."""
    return _Line(Ground(root=root, cwd=cwd), _Texts(text_of, root)).of_simple(simple).kind


def widest(effects: Iterable[str]) -> str:
    """Return the widest of some kinds; none where there are none."""
    return max(effects, key=ORDER.index, default=NONE)


class _Line:
    """One command line: what its commands wrote before is known to those behind them."""

    def __init__(self, ground: Ground, texts: _Texts, depth: int = 0) -> None:
        self._ground = msgspec.structs.replace(ground, text_of=texts.of)
        self._texts = texts
        self._depth = depth

    def of(self, text: str, arguments: tuple[str, ...] | None = None) -> Effect:
        """Return the effect of a line, or of a script with these arguments."""
        simples = simple_commands(text, arguments)
        if simples is None:
            return ANYTHING
        effects: list[Effect] = []
        sure = True
        for place, simple in enumerate(simples):
            sure = _runs_surely(simple, simples[place - 1], before_sure=sure) if place else not simple.grouped
            effects.append(self.of_simple(simple, sure=sure))
        if any(_links(simple) for simple in simples) and len(simples) > 1:
            effects.append(SOMETHING)  # what is written by the name of a link is written elsewhere
        return together(effects)

    def of_simple(self, simple: Simple, *, sure: bool = False) -> Effect:
        """Return the effect of one of its commands; `sure`: it runs in any case."""
        command = Command(words=simple.words, simple=simple, ground=self._ground, asked=self._of_words)
        effects = [self.of_simple(nested) for nested in simple.nested]
        effects.append(command.wrote(*simple.into))
        if any(UPDATING_SETTING.match(setting) for setting in simple.settings):
            effects.append(ANYTHING)
        effects.append(self._of_words(command))
        effect = together(effects)
        self._texts.note(command, effect, sure=sure)
        return effect

    def _of_words(self, command: Command) -> Effect:
        words = command.words
        if not words:
            return NOTHING
        name, plain = command.name, "/" not in words[0]
        if plain and ((len(words) == 2 and words[1] in _ASKS) or (words[1:] and words[-1] == "--help")):
            return NOTHING
        if words[0] == name and (name in READERS or words[:2] in (("command", "-v"), ("command", "-V"))):
            return NOTHING
        rule = _RULES.get(name)
        if rule is not None:
            return rule(command)
        maker = _MAKERS.get(name)
        if maker is not None:
            return maker(self._script)(command)
        if name in OUTSIDE:
            return OUTSIDE_ALONE
        return checks.runner(command) if plain else self._by_path(command)

    def _by_path(self, command: Command) -> Effect:
        """A script of the workspace, run by its path: it is what its text says."""
        known = checks.runner(command)
        text = command.text_of(command.words[0]) if known is ANYTHING else None
        if text is None:
            return known
        first = text.split("\n", 1)[0]
        if "python" in first:
            words = ("python3", *command.words)
            return self._of_words(msgspec.structs.replace(command, words=words))
        shell = not first.startswith("#!") or any(name in first for name in SHELLS)
        return self._script(text, command, command.rest) if shell else ANYTHING

    def _script(self, text: str, command: Command, arguments: tuple[str, ...] = ()) -> Effect:
        """The effect of a shell script, run in the place of a command."""
        folder = command.path("")
        if self._depth >= _DEEPEST or folder is None:
            return ANYTHING
        ground = Ground(root=self._ground.root, cwd=folder, scripts=self._ground.scripts)
        known = None if any("$" in word for word in arguments) else arguments
        return _Line(ground, self._texts, self._depth + 1).of(text, known)


def _links(simple: Simple) -> bool:
    return simple.words[:1] == ("ln",) or any(map(_links, simple.nested))


def _runs_surely(simple: Simple, before: Simple, *, before_sure: bool) -> bool:
    """Tell whether a command runs in any case: it begins a statement, or stands behind what only prepares it."""
    if simple.grouped or simple.before in ("||", "(", "|"):
        return False
    return simple.before != "&&" or (before_sure and (not before.words or before.words[0] in _PREPARES))


class _Texts:
    """The texts of files, as far as the line or its caller knows them."""

    def __init__(self, known: Callable[[str], str | None] | None, root: str | None) -> None:
        self._known = known
        self._root = root
        self._written: dict[str, str | None] = {}

    def of(self, path: str) -> str | None:
        """Return the whole text of a file, None where it is not known."""
        if path in self._written:
            return self._written[path]
        if any(path.startswith(f"{each}/") or "*" in each for each in self._written):
            return None
        return self._known(path) if self._known is not None else None

    def note(self, command: Command, effect: Effect, *, sure: bool) -> None:
        """Remember what a file holds after `cat > f <<'EOF'`; what else may have been written is not known any more."""
        if effect.kind == UNKNOWN or not effect.named:
            self._known, self._written = None, {}
        elif effect.kind == OUTSIDE_ONLY:
            self._written = {path: text for path, text in self._written.items() if command.is_inside(path)}
        self._written.update(dict.fromkeys(effect.paths))
        target = _fed_into(command.simple)
        place = command.path(target) if target is not None else None
        if place is not None:
            self._written[place] = command.simple.fed_text if sure else None


def _fed_into(simple: Simple) -> str | None:
    """Return the file that a command writes a here-document to, and nothing else."""
    if simple.words == ("cat",) and len(simple.into) == 1 and not simple.source:
        return simple.into[0]
    return simple.words[1] if simple.words[:1] == ("tee",) and len(simple.words) == 2 and not simple.source else None


_MAKERS: Final[dict[str, Callable[[Callable[..., Effect]], Rule]]] = {
    **dict.fromkeys(("python", "python2", "python3", "py", "pypy3", "ipython"), scripting.python_rule),
    **dict.fromkeys((*SHELLS, "source", "."), scripting.shell_script),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun", "mise", "just", "task", "make", "gmake", "rake", "nx", "turbo", "deno"),
        languages.script_runner,
    ),
}
"""Program → what makes a rule of it that can ask for the effect of a script."""
_RULES: Final[dict[str, Rule]] = {
    **reading_tools.RULES,
    **files.RULES,
    **versioning.RULES,
    **packages.RULES,
    **checks.RULES,
    **languages.RULES,
    **scripting.RULES,
    **services.RULES,
}
