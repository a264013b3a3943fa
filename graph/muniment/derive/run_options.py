"""Options of runners: which of them take away some of what a run looks at, and which make status 0 say nothing.

* An option takes something away if it is listed so, or if nobody knows it and its name speaks of choosing (`--only-x`,
  `--shard`). A value may keep the meaning: a config file by its conventional name, an exclusion of folders that hold
  no code of the project, settings that choose no tests.
* Status 0 says nothing where an option asks for it whatever was found (`--exit-zero`, `make -i`, `mvn -fn`).
* Make's `-n`, `-t` and `-q` run nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

_SELECTS: Final = re.compile(
    r"--?(?:[\w.]*-)?(?:select|filter|only|skip|exclude|ignore|match|pattern|tags?|mark|shard|splits?|chunk|slice|partition"
    r"|subset|sample|changed|since|last|affected|related|picked|testmon|impacted|grep|suite|override|roots?|config)"
    r"(?![a-z])[\w.-]*|--\w*(?:Pattern|Changed|Match|Regex|Filter|Ignore|Only)\w*"
)
_HARMLESS: Final = re.compile(
    r"--(?:\S*(?:report|log|cov|cache|html|xml|junit|output|snapshot|trace|artifact|profile|import|warning|color|marker"
    r"|rerun|configuration|skips$)\S*|ff|failed-first|new-first|nf|maxfail|rootdir|fail-on-\S+|exclude-newer"
    r"|ignore-rust-version|include-ignored|last-failed-no-failures|no-match|extend-select|strict\S*|skip(?:Default)?LibCheck|only-rerun|config-settings?)"
)
"""Names of options that speak of choosing, but choose no tests: reports, orders, caches."""
_OWN_CONFIG: Final = re.compile(
    r"(?:\./)?(?:\.?|pyproject\.toml|setup\.cfg|tox\.ini|\.?pytest\.ini|\.?mypy\.ini|\.?ruff\.toml|\.flake8|\.?pylintrc"
    r"|\.?golangci\.(?:ya?ml|toml|json)|\.rubocop\.yml|\.?eslintrc[.\w]*|eslint\.config\.\w+|\.prettierrc[.\w]*"
    r"|prettier\.config\.\w+|biome\.jsonc?|\.stylelintrc[.\w]*|stylelint\.config\.\w+|package\.json"
    r"|pyrightconfig\.json|tsconfig\.json|jest\.config\.\w+|vite(?:st)?\.config\.\w+|playwright\.config\.\w+"
    r"|\.mocharc\.\w+|phpunit\.xml(?:\.dist)?|Cargo\.toml|[Mm]akefile|GNUmakefile)"
)
"""The config files that a tool finds by itself, at the root."""
_NOT_OWN: Final = re.compile(
    r"(?:(?:\./|\*\*?/)?(?:\.?venv|\.?env|\.git|\.hg|\.svn|\.tox|\.nox|\.eggs|\.?cache|\.\w+_cache|node_modules|build|dist"
    r"|__pycache__|site-packages|target|coverage|htmlcov|\.next)(?:/\**)?(?:,\s*|$))+"
)
"""Folders that hold no code of a project."""
_HARMLESS_SETTING: Final = re.compile(
    r"(?:log_\w+|cache_dir|asyncio_\w+|anyio_\w+|timeout\w*|junit_\w+|console_output_style|filterwarnings|pythonpath"
    r"|faulthandler_\w+|tmp_path_\w+|xfail_strict|markers|required_plugins|DJANGO_\w+|truncation_\w+|verbosity\w*"
    r"|env)=.*"
    r"|addopts=(?:\s*(?:-[vqsxlr]\w*|--tb[= ]?\w+|--strict\S*|-p|no:\w+|--no-\w+|-n|\d+|auto|-W|\w*ignore))*\s*",
    re.DOTALL,
)
"""Settings of pytest's ini file that choose no tests."""
_TEST_FOLDER: Final = re.compile(r"(?:\./)?(?:\.|tests?/?|)")
_TEST_FILES: Final = re.compile(r"\*?tests?_?\*(?:\.py)?|\*_?tests?\.py|\*\.py")
_NONE_KEEPS: Final = re.compile(r"(?!)")
_ANY: Final = re.compile(".*", re.DOTALL)
_TRUE: Final = re.compile(r"true|1")
_PATHS: Final = ("--exclude", "--extend-exclude", "--ignore-pattern", "--skip-dirs", "--exclude-dirs")
_CONFIG: Final = ("--config", "--config-file", "--config-path", "--rcfile", "--append-config", "--configuration-file")

_LISTED: Final[dict[str, dict[str, re.Pattern[str]]]] = {
    "pytest": {
        "-c": _OWN_CONFIG, "--config-file": _OWN_CONFIG, "-o": _HARMLESS_SETTING, "--override-ini": _HARMLESS_SETTING,
        "--noconftest": _NONE_KEEPS, "--confcutdir": _OWN_CONFIG,
    },
    "unittest": {"-s": _TEST_FOLDER, "--start-directory": _TEST_FOLDER, "-p": _TEST_FILES, "--pattern": _TEST_FILES},
    "django": {"-p": _TEST_FILES, "--pattern": _TEST_FILES, "-t": _OWN_CONFIG, "--top-level": _OWN_CONFIG},
    "go": {**dict.fromkeys(("-modfile", "-overlay", "-fuzz", "-C"), _NONE_KEEPS), "-tags": _ANY, "--tags": _ANY},
    "cargo": {
        "--manifest-path": _OWN_CONFIG, "--no-default-features": _NONE_KEEPS, "--ignored": _NONE_KEEPS,
        "--partition": _NONE_KEEPS, "--filter-expr": _NONE_KEEPS, "--run-ignored": re.compile("all|default"),
    },
    "jest": {"-c": _OWN_CONFIG, "--rootDir": _OWN_CONFIG, "--roots": _NONE_KEEPS},
    "vitest": {"-c": _OWN_CONFIG, "--root": _OWN_CONFIG, "-r": _OWN_CONFIG, "--typecheck.only": _NONE_KEEPS},
    "mocha": {"--config": _OWN_CONFIG, "--package": _OWN_CONFIG, "--opts": _NONE_KEEPS},
    "rspec": {"-O": _OWN_CONFIG, "--options": _OWN_CONFIG},
    "phpunit": {"-c": _OWN_CONFIG, "--configuration": _OWN_CONFIG, "--no-configuration": _NONE_KEEPS},
    "playwright": {"-c": _OWN_CONFIG, "-g": _NONE_KEEPS},
    "mypy": {
        "-p": _NONE_KEEPS, "-m": _NONE_KEEPS, "--package": _NONE_KEEPS, "--module": _NONE_KEEPS,
        "--disable-error-code": _NONE_KEEPS, "--follow-imports": re.compile("normal|silent|error"),
    },
    "pyright": {
        "-p": _OWN_CONFIG, "--project": _OWN_CONFIG, "--level": re.compile("error|warning|information"),
        "--skipunannotated": _NONE_KEEPS,
    },
    "ruff": {
        "-c": _OWN_CONFIG, "--isolated": _NONE_KEEPS, "--per-file-ignores": _NONE_KEEPS, "--diff": _NONE_KEEPS,
        "--extend-per-file-ignores": _NONE_KEEPS,
    },
    "flake8": {
        "--isolated": _NONE_KEEPS, "--per-file-ignores": _NONE_KEEPS, "--filename": _NONE_KEEPS, "--diff": _NONE_KEEPS,
    },
    "pylint": {
        "-E": _NONE_KEEPS, "-d": _NONE_KEEPS, "--disable": _NONE_KEEPS, "--disable-msg": _NONE_KEEPS,
        "--ignore-paths": _NOT_OWN, "--ignore-patterns": _NOT_OWN,
    },
    "eslint": {
        "-c": _OWN_CONFIG, "--no-eslintrc": _NONE_KEEPS, "--no-config-lookup": _NONE_KEEPS, "--rule": _NONE_KEEPS,
        "--ignore-path": re.compile(r"\.(?:git|eslint)ignore"), "--rulesdir": _NONE_KEEPS,
    },
    "golangci-lint": {
        **dict.fromkeys(("-D", "-e", "-p", "--disable", "--disable-all", "--enable-only", "--presets"), _NONE_KEEPS),
        **dict.fromkeys(("--fast", "--fast-only", "--no-config", "--skip-files", "--default"), _NONE_KEEPS),
        "-c": _OWN_CONFIG, "--tests": _TRUE,
    },
    "rubocop": {"-c": _OWN_CONFIG, "-l": _NONE_KEEPS, "--lint": _NONE_KEEPS, "--fail-level": _NONE_KEEPS,
                "--except": _NONE_KEEPS},
    "black": {"--include": _NONE_KEEPS, "--line-ranges": _NONE_KEEPS},
    "prettier": {"--no-config": _NONE_KEEPS, "--ignore-path": re.compile(r"\.(?:git|prettier)ignore")},
    "biome": dict.fromkeys(("--staged", "--changed", "--skip", "--only"), _NONE_KEEPS),
    "tsc": {"-p": _OWN_CONFIG, "--project": _OWN_CONFIG},
    "maven": dict.fromkeys(("-rf", "--resume-from", "-pl", "--projects"), _NONE_KEEPS),
    "gradle": dict.fromkeys(("-x", "--exclude-task", "-p", "--project-dir"), _NONE_KEEPS),
    "script": {"-f": _OWN_CONFIG, "--file": _OWN_CONFIG, "--makefile": _OWN_CONFIG},
}  # fmt: skip
"""Tool → option that takes something away → the values with which it does not."""
_GLUED: Final = {
    **dict.fromkeys(("pytest", "unittest", "django"), "-kmcop"),
    **dict.fromkeys(("jest", "vitest", "playwright"), "-ctg"),
    **dict.fromkeys(("mypy",), "-pmc"),
    **dict.fromkeys(("pylint",), "-d"),
}
"""Short options that take their value without a space (`-kname`)."""
_UNHEARD: Final = frozenset({"lint", "types"})
_MAVEN_SETTING: Final = re.compile(
    r"-D(?:test|it\.test|[\w.]*(?:includes?|excludes?|groups|excludedGroups|suiteXmlFiles?|filter|tags?)[\w.]*)(?:=|$)"
)


def option_of(tool: str, word: str) -> tuple[str, str, bool]:
    """Return the option in a word, its value, and whether the word holds the value."""
    option, equals, value = word.partition("=")
    letters = _GLUED.get(tool, "")
    if len(word) > 2 and word[1] != "-" and word[1] in letters:
        return word[:2], word[2:].removeprefix("="), True
    return option, value, bool(equals)


def takes_away(tool: str, family: str, option: str, value: str) -> bool | None:
    """Tell whether an option of a runner takes away some of what it looks at; None for one that is not known here."""
    if tool == "maven" and option.startswith("-D"):
        return _MAVEN_SETTING.match(option) is not None
    keeps = _LISTED.get(tool, {}).get(option)
    if keeps is None and option in _CONFIG and (family in _UNHEARD or tool in ("jest", "vitest", "playwright")):
        keeps = _OWN_CONFIG
    if keeps is not None:
        return keeps.fullmatch(value.strip("'\"")) is None
    if option in _PATHS and family in _UNHEARD:
        return _NOT_OWN.fullmatch(value.strip("'\"")) is None
    if family != "build" and _SELECTS.fullmatch(option) is not None:
        return _HARMLESS.fullmatch(option) is None
    return None


_SILENT: Final = re.compile(
    r"--(?:exit-z\w*|fix-only|fix-dry-run|suppress-all|soft-fail|warn-only|ignore-errors|pass-on-failing-test-suite"
    r"|dangerouslyIgnoreUnhandledErrors|no-fail|no-exit-code|fail-never|fail-under|always-exit-zero)(?:=.*)?"
    r"|--cap-lints=(?:allow|warn)"
    r"|--(?:[\w-]*exit-code)=?0|-fn|-D(?:maven\.test\.failure\.ignore|testFailureIgnore)(?:=true)?"
)
_EXIT_CODE: Final = re.compile(r"--[\w-]*exit-code")
_MAKES: Final = frozenset({"make", "gmake"})
_MAKE_FLAGS: Final = re.compile(r"-[bBdeikLmnpqrRsStvw]+")
_MAKE_SETTING: Final = re.compile(r"(?:^|\s)(?:^[a-zA-Z]*|-[a-zA-Z]*)[intq]")
_MAKE_LONG: Final = {
    **dict.fromkeys(("--just-print", "--dry-run", "--recon", "--touch", "--question", "--version", "--help"), "n"),
    "--ignore-errors": "i",
}


def make_flags(words: Sequence[str]) -> str:
    """Return the letters of the flags that a `make` is given, "" for another program; those of one kind are `n`."""
    if not words or words[0] not in _MAKES:
        return ""
    short = "".join(word[1:] for word in words[1:] if _MAKE_FLAGS.fullmatch(word))
    long = "".join(_MAKE_LONG.get(word, "") for word in words[1:])
    return short.translate(str.maketrans("tqv", "nnn")) + long


def says_nothing(words: Sequence[str], tool: str, family: str) -> bool:
    """Tell whether status 0 of a run with these words does not say that it found nothing amiss."""
    options = words[1:]
    if any(map(_SILENT.fullmatch, options)) or "i" in make_flags(words):
        return True
    if any(_EXIT_CODE.fullmatch(word) and options[i + 1 : i + 2] == ("0",) for i, word in enumerate(options)):
        return True
    if (tool == "ruff" and "-e" in options) or (tool == "black" and "--check" not in options):
        return True
    return family != "test" and "--if-present" in options


def settings_that_hide(settings: Sequence[str]) -> Iterator[str]:
    """Yield the settings in the environment with which status 0, or what ran at all, says nothing."""
    for setting in settings:
        name, _, value = setting.partition("=")
        value = value.strip("'\"")
        hides = name in ("MAKEFLAGS", "GNUMAKEFLAGS") and _MAKE_SETTING.search(value) is not None
        if hides or (name == "PYTHONOPTIMIZE" and value not in ("", "0")):
            yield setting
