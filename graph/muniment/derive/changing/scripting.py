"""What programs in the command line change: sed, awk, perl, ruby, node, Python, and scripts whose text is known."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from muniment.derive.changing.checks import runner
from muniment.derive.changing.effect import ANYTHING, NOTHING, SOMETHING, Command, Effect, together
from muniment.derive.changing.python import python_effect
from muniment.derive.effect_tables import HARMLESS_MODULES
from muniment.shell.prefixes import unwrapped

Rule = Callable[[Command], Effect]
Asking = Callable[..., Effect]
"""The effect of a script, in the place of a command, with arguments."""

_ADDRESS: Final = r"(?:\d+|\$|/(?:[^/\\\n]|\\.)*/I?)"
_SED_STEP: Final = re.compile(
    r"[\s;{}]+|#[^\n]*|(?:" + _ADDRESS + r"(?:[,~][+~]?" + _ADDRESS + r")?\s*)?!?\s*"
    r"(?:[pdqQ=nNhHgGxDlPz]\d*(?=[\s;{}]|\Z)"
    r"|[aic](?:\\\n|\\|[ \t])(?:[^\n\\]|\\[\s\S])*(?=\n|\Z)"
    r"|[rR][ \t]+[^\n]*(?=\n|\Z)"
    r"|[btT:]\s*\w*(?=[\s;{}]|\Z)"
    r"|y(?P<turn>[/|#,:@%~!])(?:(?!(?P=turn))[^\\\n]|\\.)*(?P=turn)(?:(?!(?P=turn))[^\\]|\\.)*(?P=turn)"
    r"|s(?P<mark>[/|#,:@%~!])(?:(?!(?P=mark))[^\\\n]|\\.)*(?P=mark)(?:(?!(?P=mark))[^\\]"
    r"|\\[\s\S])*(?P=mark)[gpiIm\d]*(?=[\s;{}]|\Z)"
    r"|\{)"
)
"""One step of a sed script: an address with a command that prints, deletes, adds or substitutes; `w` and `e` are not
among them.
"""


def _is_harmless_sed(script: str) -> bool:
    place = 0
    while place < len(script):
        step = _SED_STEP.match(script, place)
        if step is None or step.end() == place:
            return False
        place = step.end()
    return True


_SED_IN_PLACE: Final = re.compile(r"-[nErsuz]*i|--in-place")
_SUFFIX: Final = re.compile(r"\A(?:-[A-Za-z0-9]*?i|--in-place=?)")
"""Everything of an option but the suffix of copies."""


def _sed(command: Command) -> Effect:
    in_place = next((word for word in command.rest if _SED_IN_PLACE.match(word)), None)
    scripts, files = _sed_words(command, bare=in_place == "-i")
    if any(re.match(r"-[nErsuz]*f|--file", word) for word in command.rest):
        return ANYTHING
    if not all(map(_is_harmless_sed, scripts)):
        odd = any(re.search(r"(?:^|[;{\n\d$/])\s*[weWrR]\b|/[a-zA-Z]*[we]\b", script) for script in scripts)
        return ANYTHING if odd or in_place is None else _wrote_with_copies(command, files, in_place)
    return NOTHING if in_place is None else _wrote_with_copies(command, files, in_place)


def _wrote_with_copies(command: Command, files: list[str], option: str) -> Effect:
    """Files that are written in place; behind the option may stand what the names of copies end with."""
    suffix = _SUFFIX.sub("", option)
    if command.simple.fed or not files or "*" in suffix:
        return SOMETHING
    return together([command.wrote(*files), command.made(*(file + suffix for file in files if suffix))])


def _sed_words(command: Command, *, bare: bool) -> tuple[list[str], list[str]]:
    """Return the scripts and the files of sed; `-i ''` is how its other kind says that it keeps no copy."""
    scripts: list[str] = []
    rest: list[str] = []
    words = list(command.rest)
    while words:
        word = words.pop(0)
        if word in ("-e", "--expression", "-ne", "-Ee", "-nE -e") or re.fullmatch(r"-[nErsuz]*e", word):
            scripts.append(words.pop(0) if words else "")
        elif joined := re.match(r"-[nErsz]*e(.+)|--expression=(.*)", word, re.DOTALL):
            scripts.append(joined[1] or joined[2] or "")
        elif not word.startswith("-") or word == "-":
            rest.append(word)
    if bare and rest[:1] == [""]:
        rest = rest[1:]
    return (scripts, rest) if scripts else (rest[:1], rest[1:])


_AWK_INTO: Final = re.compile(r'\bprintf?\b[^;}\n]*?>>?\s*(?:"([^"]*)"(?=\s*(?:[;}#\n]|\Z))|(.))')


def _awk(command: Command) -> Effect:
    if any(re.match(r"-[ifElD]|--(?:file|include|exec|load|profile|dump)", word) for word in command.rest):
        return ANYTHING
    programs = command.operands(frozenset({"-v", "-F", "--assign", "--field-separator"}))[:1]
    text = programs[0] if programs else ""
    if "system(" in text or re.search(r"\|\s*&?\s*(?:getline|[\"'a-z])", text):
        return ANYTHING
    targets = [match[1] if match[1] is not None else None for match in _AWK_INTO.finditer(_without_comparisons(text))]
    return together(SOMETHING if target is None else command.wrote(target) for target in targets)


def _without_comparisons(text: str) -> str:
    """A `>` inside of parentheses, strings or before `=` compares."""
    text = re.sub(r'"(?:[^"\\]|\\.)*"(?=[^>]*(?:[;}]|\Z))', lambda m: '""' if ">" in m[0] else m[0], text)
    return re.sub(r"\([^()]*\)|>=", " ", text)


_PERL_WRITES: Final = re.compile(
    r"\b(?:open|unlink|rename|mkdir|rmdir|system|exec|qx|eval|require|do|truncate|link|symlink|chmod|chown|utime|write|syswrite|"
    r"dump|fork|kill|File::|IO::|Path::|use|copy|move)\b|`|>|\|\s*\"|s([/|#,!])(?:(?!\1).)*\1(?:(?!\1).)*\1\w*e"
)


def _perl(command: Command) -> Effect:
    """`perl -pi -e`: the files are written; `-ne` with a plain expression reads."""
    words, scripts, files, in_place = list(command.rest), [], [], ""
    while words:
        word = words.pop(0)
        if re.fullmatch(r"-\w*[eE]", word):
            in_place = in_place or ("-i" if "i" in word else "")
            scripts.append(words.pop(0) if words else "")
        elif word.startswith("-"):
            in_place = in_place or (word if re.match(r"-\w*i", word) else "")
        else:
            files.append(word)
    if not scripts:
        return ANYTHING
    if any(_PERL_WRITES.search(_regex_free(script)) for script in scripts):
        return SOMETHING if in_place and not any(_PERL_RUNS.search(script) for script in scripts) else ANYTHING
    return _wrote_with_copies(command, files, in_place) if in_place else NOTHING


_PERL_RUNS: Final = re.compile(
    r"\b(?:system|exec|qx|eval|fork|require|use|do|open)\b|`|s([/|#,!])(?:(?!\1).)*\1(?:(?!\1).)*\1\w*e"
)


def _regex_free(script: str) -> str:
    """Take plain substitutions and matches out: words in them are no commands."""
    script = re.sub(
        r"\bs([/|#,!~])(?:(?!\1)[^\\]|\\.)*\1(?:(?!\1)[^\\]|\\.)*\1[gimsx]*(?!\w)", " ", script, flags=re.DOTALL
    )
    script = re.sub(r"\bs\{(?:[^{}\\]|\\.)*\}\s*\{(?:[^{}\\]|\\.)*\}[gimsx]*(?!\w)", " ", script, flags=re.DOTALL)
    return re.sub(r"=~\s*m?/(?:[^/\\]|\\.)*/\w*|\bm?/(?:[^/\\\n]|\\.)*/\w*", " ", script)


_RUBY_WRITES: Final = re.compile(
    r"\b(?:File|IO|FileUtils|Dir|Pathname|Tempfile|system|exec|spawn|eval|open|require_relative|load|Open3|Kernel|send|write|"
    r"instance_eval|class_eval|fork|syscall)\b|`|%x"
)
_RUBY_READS: Final = re.compile(
    r"\bFile\.(?:read|readlines|exist\?|foreach|basename|join|extname|size)\b|\bDir\.(?:glob|entries|pwd)\b|\bDir\["
)


def _ruby(command: Command) -> Effect:
    if any(re.match(r"-\w*i", word) for word in command.rest):
        return SOMETHING
    scripts = [command.rest[i + 1] for i, word in enumerate(command.rest[:-1]) if re.fullmatch(r"-\w*e", word)]
    if command.has("-c", "-v", "--version"):
        return NOTHING
    plain = scripts and not any(_RUBY_WRITES.search(_RUBY_READS.sub(" ", script)) for script in scripts)
    return NOTHING if plain else ANYTHING


_NODE_READS: Final = re.compile(
    r"""\b(?:fs|path|os|util)\.(?:read\w*Sync|existsSync|statSync|join|resolve|basename|dirname|extname|inspect|homedir)\b|"""
    r"""(?:const|let|var)\s+(?:fs|path|os|util)\s*=\s*(?=require)|require\((['"])(?:node:)?(?:fs|path|os|util|url|crypto|assert)\1\)"""
    r"""|require\((['"])(?:\./|\.\./|/)?[\w./@-]+\.json\2\)|process\.(?:version|versions|platform|arch|argv|cwd\(\)|stdin|stdout|env)\b"""
    r"""|require\.resolve\([^()]*\)"""
)
_NODE_WRITES: Final = re.compile(
    r"""\b(?:require|import|eval|Function|process|Bun|Deno|exec|spawn|fs|child_process|globalThis)\b|[wW]rite|append|unlink|rm(?:Sync|dir)"""
    r"""|mkdir|rename|copy|symlink|truncate|fetch\b|\[[^\]]*\]\s*\("""
)


def _node(command: Command) -> Effect:
    """JavaScript in the line reads only if it does nothing but calculate, print, and read files in known ways."""
    if command.rest[:1] in (("--check",), ("-c",), ("--version",)):
        return NOTHING
    scripts = [
        command.rest[i + 1]
        for i, word in enumerate(command.rest[:-1])
        if word in ("-e", "-p", "-pe", "--eval", "--print")
    ]
    if command.simple.fed_text is not None and not command.operands():
        scripts.append(command.simple.fed_text)
    if scripts and not any(_NODE_WRITES.search(_NODE_READS.sub(" ", _js_strings(script))) for script in scripts):
        return NOTHING
    return runner(command)


def _js_strings(script: str) -> str:
    """Comments say nothing; strings stay, for a name in them may be called."""
    return re.sub(r"//[^\n'\"`]*$|/\*.*?\*/", " ", script, flags=re.MULTILINE | re.DOTALL)


def python_rule(asking: Asking) -> Rule:
    """Make the rule for Python: a text in the line, a module, or a script whose text is known."""

    def rule(command: Command) -> Effect:
        words = list(command.rest)
        while words:
            word = words.pop(0)
            if word == "-c" or re.fullmatch(r"-[A-Za-z]*c", word):
                return python_effect(words[0], command, asking) if words else NOTHING
            if word == "-m":
                return _module(command, words)
            if word in ("-V", "-VV", "--version", "-h", "--help"):
                return NOTHING
            if word in ("-W", "-X"):
                words = words[1:]
            elif not word.startswith("-") or word == "-":
                return _script(command, word, words, asking)
        return _fed(command, asking)

    return rule


def _fed(command: Command, asking: Asking) -> Effect:
    text = command.simple.fed_text
    if text is None and command.simple.source:
        text = command.text_of(command.simple.source[-1])
    return ANYTHING if text is None else python_effect(text, command, asking)


def _module(command: Command, words: list[str]) -> Effect:
    if not words:
        return ANYTHING
    if words[0] in HARMLESS_MODULES:
        return command.wrote(*words[2:3]) if words[0] == "json.tool" else NOTHING
    if words[0] == "venv":
        return command.made(*[word for word in words[1:] if not word.startswith("-")], environment=True)
    if words[0] in ("http.server", "ensurepip", "zipfile", "tarfile", "timeit", "cProfile", "pdb", "trace", "runpy"):
        return ANYTHING if words[0] != "http.server" else NOTHING
    if words[:2] == ["django", "test"]:
        words = ["manage.py", *words[1:]]
    return command.as_words(unwrapped(tuple(words)))


def _script(command: Command, script: str, rest: list[str], asking: Asking) -> Effect:
    if script == "-":
        return _fed(command, asking)
    if script.rsplit("/", 1)[-1] == "setup.py":
        return _setup(rest)
    known = runner(command)
    if known is not ANYTHING:
        return known
    text = command.text_of(script)
    return ANYTHING if text is None else python_effect(text, command, asking)


def _setup(rest: list[str]) -> Effect:
    if rest[:1] in (["--version"], ["--help"], ["--name"], ["check"]):
        return NOTHING
    return (
        SOMETHING
        if rest[:1] in (["build_ext"], ["build"], ["develop"], ["sdist"], ["bdist_wheel"], ["egg_info"])
        else ANYTHING
    )


def shell_script(asking: Asking) -> Rule:
    """Make the rule for a script of the workspace that is run by its path, or by a shell."""

    def rule(command: Command) -> Effect:
        operands = [word for word in command.rest if not word.startswith(("-", "+"))]
        if command.has("-n") and command.name in ("bash", "sh", "zsh"):
            return NOTHING
        if command.name in (".", "source") and operands[:1] and operands[0].endswith("/bin/activate"):
            return NOTHING
        place = next((i for i, word in enumerate(command.words) if re.fullmatch(r"-[a-z]*c", word)), None)
        if place is not None and place + 1 < len(command.words) and command.name not in (".", "source"):
            return asking(command.words[place + 1], command, command.words[place + 3 :])
        text = command.text_of(operands[0]) if operands else None
        return ANYTHING if text is None else asking(text, command, tuple(operands[1:]))

    return rule


RULES: Final[dict[str, Rule]] = {
    "sed": _sed,
    "gsed": _sed,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    "perl": _perl,
    "ruby": _ruby,
    "node": _node,
    "nodejs": _node,
}
"""Program → rule."""
