"""What the tools for files change: they write the files that they name, or those below a folder."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Final

from muniment.derive.changing.effect import ANYTHING, NOTHING, OUTSIDE_ALONE, SOMETHING, Command, Effect, together
from muniment.derive.changing.patches import patched_paths

Rule = Callable[[Command], Effect]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_REMOTE: Final = re.compile(r"(?:[\w.-]+@)?[\w.-]+:|\w+://")
_VALUED: Final = {
    "truncate": _words("-s --size -r --reference"),
    "mkdir": _words("-m --mode"),
    "touch": _words("-d -r -t --date --reference"),
    "shred": _words("-n -s"),
}
_TO_FOLDER: Final = ("-t", "--target-directory")
_PLAIN_SOURCE: Final = re.compile(r"^(?:[^$`*?\[{~]*/)?(?!\.{1,2}$)[^/$`*?\[{~]+$")


def _named(command: Command) -> Effect:
    """`rm a b`: all operands are written; `chmod 644 a`: all but the first."""
    operands = command.operands(_VALUED.get(command.name, frozenset()))
    taken_off = command.name == "chmod" and any(re.fullmatch(r"-[rwxXst]+", word) for word in command.rest)
    if command.name in ("chmod", "chown", "chgrp") and not taken_off and not command.has("--reference"):
        operands = operands[1:]
    return _of_operands(command, operands)


def _of_operands(command: Command, operands: list[str]) -> Effect:
    return together([command.wrote(*operands), SOMETHING if command.simple.fed else NOTHING])


def _folders(command: Command) -> Effect:
    return together([command.made(*command.operands(_VALUED["mkdir"])), SOMETHING if command.simple.fed else NOTHING])


_B_AMONG: Final = re.compile(r"(?:\A| )-[a-zA-Z]*[bS]")


def _moved(command: Command) -> Effect:
    among = _folder_options(command)
    folder = command.value(*among)
    operands = command.operands(frozenset({*among, "-S", "--suffix"}))
    if folder:
        return _of_operands(command, [*operands, folder])
    return _of_operands(command, [*operands[:-1], *_targets(command, operands), *_backups(command, operands)])


def _folder_options(command: Command) -> tuple[str, ...]:
    """Return the options that name the folder, also at the end of others: `ln -st folder file`."""
    joined = [word for word in command.rest if re.fullmatch(r"-[a-zA-Z]*t", word)]
    return (*_TO_FOLDER, *joined)


def _backups(command: Command, operands: list[str]) -> list[str]:
    """Return where what was there before is kept: beside the target, or in it, under a name that begins alike."""
    if not operands or not (command.has("-b", "--backup", "-S", "--suffix") or _B_AMONG.search(" ".join(command.rest))):
        return []
    return [f"{operands[-1].rstrip('/')}*"]


def _targets(command: Command, operands: list[str]) -> list[str]:
    """Return what `mv` or `cp` writes: the last operand, or where it ends with a slash the files that come into it.

    A source whose name is not plain, or may stand for what is in it, leaves the folder.
    """
    target, sources = operands[-1:], operands[:-1]
    if command.name == "ditto" or command.has("--parents") or not target or not target[0].endswith("/"):
        return target
    if not sources or not all(_PLAIN_SOURCE.search(source) for source in sources):
        return target
    return [target[0] + posixpath.basename(source) for source in sources]


def _copied(command: Command) -> Effect:
    """`cp a b`, `ln -s a b`: the last operand is written, or the folder that is named."""
    among = _folder_options(command)
    folder = command.value(*among)
    operands = command.operands(frozenset({*among, "-m", "-o", "-g", "-S", "--suffix", "--mode"}))
    if folder is not None:
        return command.wrote(folder)
    if command.name == "ln" and len(operands) == 1:
        return command.wrote(posixpath.basename(operands[0].rstrip("/")) or ".")
    if command.name == "install" and command.has("-d", "--directory"):
        return command.made(*operands)
    if not operands:
        return SOMETHING if command.simple.fed else NOTHING
    return _of_operands(command, [*_targets(command, operands), *_backups(command, operands)])


def _synchronised(command: Command) -> Effect:
    """`rsync`, `scp`: the last operand, which may be on another machine."""
    operands = command.operands(_words("-e --exclude --include --filter -i -P -o -F -l -c --exclude-from --files-from"))
    if command.has("-n", "--dry-run", "--list-only") and command.name == "rsync":
        return NOTHING
    sources = operands[:-1] if command.has("--remove-source-files") else []
    targets = [each for each in (*sources, *operands[-1:]) if not _REMOTE.match(each)]
    return together([OUTSIDE_ALONE, command.wrote(*targets)])


def _dd(command: Command) -> Effect:
    return command.wrote(*(word[3:] for word in command.rest if word.startswith("of=")))


def _split(command: Command) -> Effect:
    operands = command.operands(_words("-l -b -n -a -C -f -k --lines --bytes --prefix --number"))
    if command.name == "csplit":
        return command.wrote(f"{command.value('-f', '--prefix') or 'xx'}*")
    return command.wrote(f"{operands[1] if len(operands) > 1 else 'x'}*")


_LEFT: Final = (".orig", ".rej")
"""What `patch` leaves beside a file where it had to guess, or failed."""


def _patch(command: Command) -> Effect:
    if command.has("--dry-run", "-C", "--check"):
        return NOTHING
    operands = command.operands(_words("-p -i -d -o -F -B -V -Y -z -D"))
    into = command.value("-o", "--output")
    if into is not None or operands:
        return command.wrote(*([into] if into is not None else operands[:1]))
    text = command.simple.fed_text
    source = command.value("-i", "--input") or next(iter(command.simple.source), None)
    if text is None and source is not None:
        text = command.text_of(source)
    strip = next((int(m[1]) for word in command.rest if (m := re.fullmatch(r"(?:-p|--strip=)(\d+)", word))), None)
    paths = patched_paths(text, strip) if text is not None else None
    if paths is None:
        return SOMETHING
    if strip is None:  # then it looks for the file by its name, here and there
        paths = [*paths, *(posixpath.basename(path) for path in paths)]
    folder = command.value("-d", "--directory") or ""
    placed = [posixpath.join(folder, path) for path in paths]
    return together([command.wrote(*placed), command.made(*(f"{path}{end}" for path in placed for end in _LEFT))])


def _apply_patch(command: Command) -> Effect:
    """The patch tool of agents: its text is an argument or a here-document."""
    text = command.simple.fed_text if command.simple.fed_text is not None else " ".join(command.rest)
    paths = patched_paths(text, None)
    return SOMETHING if paths is None else command.wrote(*paths)


_SUFFIXES: Final = {
    "gzip": ".gz",
    "bzip2": ".bz2",
    "xz": ".xz",
    "zstd": ".zst",
}


def _compressed(command: Command) -> Effect:
    """`gzip a` replaces `a` by `a.gz`, and the other way round."""
    if any(re.fullmatch(r"-\w*[clt]\w*|--stdout|--list|--test|--to-stdout", word) for word in command.rest):
        return NOTHING
    operands = command.operands(_words("-o -S --suffix -T"))
    suffix = _SUFFIXES.get(command.name, "")
    other = [posixpath.splitext(each)[0] if each.endswith(suffix) or not suffix else each + suffix for each in operands]
    into = command.value("-o")
    return _of_operands(command, [*operands, *other, *([into] if into else [])])


def _zip(command: Command) -> Effect:
    return SOMETHING if command.has("-m", "--move") else _of_operands(command, command.operands()[:1])


def _unzip(command: Command) -> Effect:
    if any(re.fullmatch(r"-[a-z]*[lptvZz][a-z]*", word) for word in command.rest):
        return NOTHING
    return command.wrote(command.value("-d") or ".")


_TAR_RUNS: Final = re.compile(
    r"--(?:checkpoint-action|to-command|use-compress-program|info-script|new-volume-script|rsh-command)|-[IF]"
)
"""Options of `tar` that name a program to be run."""


def _tar(command: Command) -> Effect:
    if any(_TAR_RUNS.match(word) for word in command.rest):
        return ANYTHING
    first = command.rest[0] if command.rest else ""
    letters = first.lstrip("-") if not first.startswith("--") else ""
    folder = command.value("-C", "--directory") or ""
    if letters.startswith("t") or "t" in letters.split("f")[0] or command.has("--list"):
        return NOTHING
    if "x" in letters or command.has("--extract", "--get", "-x"):
        return NOTHING if "O" in letters or command.has("--to-stdout", "-O") else command.wrote(folder or ".")
    archive = command.value("-f", "--file")
    if archive is None and letters.endswith("f"):
        archive = command.rest[1] if len(command.rest) > 1 else None
    return SOMETHING if archive is None or command.has("--remove-files") else command.wrote(archive)


def _tee(command: Command) -> Effect:
    return command.wrote(*command.operands())


def _output_option(command: Command) -> Effect:
    """`sort -o f`, `tree -o f`, `shuf -o f`: the option names what is written."""
    into = [m[1] for word in command.rest if (m := re.fullmatch(r"-o(.+)", word))]
    into += [b for a, b in pairwise(command.rest) if re.fullmatch(r"-\w*o", a)]
    named = command.value("--output", "--output-file", "--out", "--report-file")
    if command.has("--compress-program"):
        return ANYTHING
    return command.wrote(*into, *([named] if named else []))


def _two_operands(command: Command) -> Effect:
    """`uniq in out`, `xxd in out`: a second operand is written."""
    return command.wrote(*command.operands(_words("-f -s -w -l -c -g -o"))[1:2])


def _in_place(command: Command) -> Effect:
    """`yq -i`: the files behind the expression are written."""
    if not any(re.match(r"-\w*i|--in-?place", word) for word in command.rest):
        return NOTHING
    operands = command.operands()
    return command.wrote(*operands[1:]) if len(operands) > 1 else SOMETHING


def _sd(command: Command) -> Effect:
    return NOTHING if command.has("-p", "--preview") else _of_operands(command, command.operands()[2:])


def _mktemp(command: Command) -> Effect:
    templates = command.operands(_words("-p --tmpdir --suffix"))
    folder = command.value("-p", "--tmpdir")
    if not templates or any(word in ("-t", "-dt", "-td") for word in command.rest):
        return OUTSIDE_ALONE if not folder else command.wrote(folder)
    template = re.sub("X+", "*", templates[0])
    return command.wrote(posixpath.join(folder or "", template)) if folder != "" else OUTSIDE_ALONE


def _sponge(command: Command) -> Effect:
    return command.wrote(*command.operands())


def _wget(command: Command) -> Effect:
    if command.has("--spider"):
        return OUTSIDE_ALONE
    into = command.value("-O", "--output-document")
    joined = next((word[2:] for word in command.rest if re.match(r"-O.", word)), None)
    into = into if into is not None else joined
    if into is None and any(re.fullmatch(r"-\w*O-?", word) for word in command.rest):
        into = "-"
    log = command.value("-o", "--output-file", "-a", "--append-output")
    into = into or command.value("-P", "--directory-prefix") or "."
    return together([OUTSIDE_ALONE, command.wrote(into, *([log] if log else []))])


def _curl(command: Command) -> Effect:
    names = ("-o", "--output", "--output-dir", "-c", "--cookie-jar", "-D", "--dump-header", "--trace", "--trace-ascii")
    into = [value for word, value in pairwise([*command.rest, ""]) if word in names]
    into += [word.partition("=")[2] for word in command.rest if "=" in word and word.partition("=")[0] in names]
    remote = any(re.fullmatch(r"-[a-zA-Z]*O[a-zA-Z]*|--remote-name(?:-all)?|-J", word) for word in command.rest)
    for place, word in enumerate(command.rest):
        if re.fullmatch(r"-[a-zA-Z]+o", word):
            into.append(command.rest[place + 1] if place + 1 < len(command.rest) else "")
        elif re.fullmatch(r"-o.+", word) and word != "-o":
            into.append(word[2:])
    return together([OUTSIDE_ALONE, command.wrote(*into), command.wrote(".") if remote else NOTHING])


_FIND_FILES: Final = _words("-fprint -fprint0 -fprintf -fls")
_FIND_RUNS: Final = _words("-exec -execdir -ok -okdir")


def _find(command: Command) -> Effect:
    words = command.rest
    starts: list[str] = []
    for word in words:
        if word.startswith(("-", "(", "!")):
            break
        starts.append(word)
    effects = [command.wrote(*(starts or ["."]))] if "-delete" in words else []
    for place, word in enumerate(words):
        if word in _FIND_FILES and place + 1 < len(words):
            effects.append(command.wrote(words[place + 1]))
        elif word in _FIND_RUNS:
            rest = words[place + 1 :]
            stop = next((i for i, end in enumerate(rest) if end in (";", "\\;", "+")), len(rest))
            effects += [command.as_words(_found_below(rest[:stop], start)) for start in starts or ["."]]
    return together(effects)


def _found_below(words: tuple[str, ...], start: str) -> tuple[str, ...]:
    """Put what `{}` may stand for into the words of `-exec`: the start and all below it, or names that begin so."""
    plain = posixpath.normpath(start)
    names = "*" if plain == "." else f"{plain}/*" if plain.endswith("..") else f"{plain}*"
    return tuple(start if word == "{}" else word.replace("{}", names) for word in words)


def _fd(command: Command) -> Effect:
    return ANYTHING if command.has("-x", "--exec", "-X", "--exec-batch") else NOTHING


def _rg(command: Command) -> Effect:
    return ANYTHING if command.has("--pre", "--hostname-bin") else NOTHING


def _sqlite(command: Command) -> Effect:
    """A query reads; anything else may write the database."""
    operands = command.operands(_words("-separator -nullvalue -cmd -init -newline"))
    scripts = [*operands[1:], *([command.simple.fed_text] if command.simple.fed_text is not None else [])]
    reads = scripts and all(_READS_SQL.fullmatch(script.strip()) for script in scripts)
    if reads or command.has("-readonly"):
        return NOTHING
    if any(
        re.search(r"^\s*\.(?:output|once|shell|system|import|save|backup|clone|dump|excel|log)\b", s, re.M)
        for s in scripts
    ):
        return ANYTHING
    return command.wrote(*operands[:1]) if operands else ANYTHING


_READS_SQL: Final = re.compile(
    r"(?:\s*(?:(?:select|explain|with)\b(?:(?!\b(?:insert|update|delete|replace|create|drop|writefile|edit)\b)[^;])*"
    r"|pragma\s+\w+(?:\([^=;]*\))?|\.(?:tables|schema|headers|mode|indexes|databases|width|quit)\b[^\n;]*)\s*(?:;|\n|\Z))*",
    re.IGNORECASE,
)

RULES: Final[dict[str, Rule]] = {
    **dict.fromkeys(
        ("rm", "rmdir", "touch", "truncate", "chmod", "chown", "chgrp", "unlink", "mkfifo", "shred"), _named
    ),
    "mkdir": _folders,
    "mv": _moved,
    **dict.fromkeys(("cp", "install", "ln", "gcp", "ditto"), _copied),
    "rsync": _synchronised,
    "scp": _synchronised,
    "dd": _dd,
    "split": _split,
    "csplit": _split,
    "patch": _patch,
    "apply_patch": _apply_patch,
    "applypatch": _apply_patch,
    **dict.fromkeys(("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "unzstd", "pigz"), _compressed),
    "zip": _zip,
    "unzip": _unzip,
    "tar": _tar,
    "bsdtar": _tar,
    "tee": _tee,
    "sponge": _sponge,
    "sort": _output_option,
    "shuf": _output_option,
    **dict.fromkeys(("tree", "iconv", "cloc", "scc", "xmllint", "base64"), _output_option),
    "uniq": _two_operands,
    "xxd": _two_operands,
    "yq": _in_place,
    "jq": _in_place,
    "sd": _sd,
    "mktemp": _mktemp,
    "wget": _wget,
    "curl": _curl,
    "find": _find,
    "gfind": _find,
    "fd": _fd,
    "fdfind": _fd,
    "rg": _rg,
    "sqlite3": _sqlite,
    "ed": lambda _command: SOMETHING,
    "ex": lambda _command: SOMETHING,
}
"""Program → rule."""
