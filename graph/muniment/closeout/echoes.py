"""Echoes: commands that only show what was put there before, of which nothing is learnt.

* What a line feeds to its own filters (`echo … | base64 -d`, `printf "%s %s" a b`, `cat <<EOF`) is its own word, and so
  is what an interpreter is told to print in words of the line.
* What a file holds that this mission wrote is the agent's word; another file, such as a log, may tell of a behaviour.
* What version control keeps is what was put there.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.closeout.evidence import Evidence
from muniment.derive.shell import Simple, base_name, simple_commands
from muniment.model.nodes import Receipt

_SPEAKERS: Final = frozenset({"echo", "printf", "yes", "seq", "true", ":", "cd", "export", "set", "sleep"})
_SHAPERS: Final = frozenset(
    [
        *(
            "base64",
            "base32",
            "xxd",
            "od",
            "tr",
            "rev",
            "sed",
            "awk",
            "cut",
            "fold",
            "fmt",
            "sort",
            "uniq",
            "tac",
            "nl",
        ),
        *("tee", "column", "paste", "jq", "head", "tail", "cat", "grep", "egrep", "fgrep", "rg", "less", "more", "bat"),
        *("nl", "strings", "wc", "gunzip", "zcat", "openssl"),
    ]
)
"""Programs that print what they are given, or what a file holds."""
_STORED: Final = frozenset({"show", "log", "diff", "blame", "cat-file", "stash", "grep", "shortlog", "reflog", "notes"})
_INLINE: Final = frozenset({"-c", "-e", "-E", "-r", "-p", "--eval"})
_INTERPRETERS: Final = re.compile(r"(?:python|pypy)[\d.]*|node|perl|ruby|php|deno|bun|lua|awk|bash|sh|zsh")
_WORD: Final = re.compile(r"\w+")


def only_shows(evidence: Evidence, receipt: Receipt, what: str) -> bool:
    """Tell whether a command shows nothing but its own words, what the mission wrote, or what was committed."""
    simples = simple_commands(evidence.text(receipt.command))
    if not simples:
        return False
    return all(_is_echo(evidence, receipt, simple, what) for simple in simples)


def _is_echo(evidence: Evidence, receipt: Receipt, simple: Simple, what: str) -> bool:
    if not simple.words:
        return True
    name = base_name(simple.words[0])
    if name in _SPEAKERS:
        return not any(nested.words for nested in simple.nested)
    if name == "git":
        return any(word in _STORED for word in simple.words[1:3])
    if name in _SHAPERS:
        return _shows_own_files(evidence, receipt, simple)
    inline = any(word in _INLINE for word in simple.words[1:]) or simple.fed_text is not None
    return inline and _INTERPRETERS.fullmatch(name) is not None and _spells(simple, what)


def _spells(simple: Simple, what: str) -> bool:
    """Tell whether all words of a text stand in a command, in whatever order."""
    told = set(_WORD.findall(" ".join((*simple.words, simple.fed_text or ""))))
    return told.issuperset(_WORD.findall(what))


def _shows_own_files(evidence: Evidence, receipt: Receipt, simple: Simple) -> bool:
    """Tell whether no file that a command may show is of somebody else's making."""
    workspace = evidence.changes.workspace(receipt.session)
    operands = [word for word in simple.words[1:] if not word.startswith("-")]
    named = [file for each in (*operands, *simple.source) if (file := evidence.file_named(each, workspace)) is not None]
    if named:
        written = {file for change in evidence.changes.all for file in change.files}
        return all(file.id in written for file in named)
    fed = simple.before == "|" or simple.fed_text is not None
    return fed and not any("/" in each or re.search(r"\.\w+$", each) for each in operands)
