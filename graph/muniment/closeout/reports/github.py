"""The report as annotations of GitHub Actions: workflow commands, one a line, for the log of a build.

* One for each finding, by its severity: `::error`, `::warning`, `::notice`. GitHub shows the first ten of each in a
  step, so that the gravest come first. The first line is the sum, in plain words.
* What would end or begin a command is escaped as GitHub unescapes it: `%`, CR and LF, in properties `:` and `,` too.
  No text of a session can become a command of its own.
"""

from __future__ import annotations

from muniment.closeout.reports.cleaning import harmless
from muniment.closeout.reports.dossier import Dossier
from muniment.closeout.reports.noticed import Noticed, noticed
from muniment.closeout.reports.text import sums

COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def github(dossier: Dossier) -> str:
    """Return a closeout as workflow commands, without a line end at its end."""
    closeout = dossier.closeout
    word = closeout.verdict.replace("_", " ")
    told = f"{word} ({sums(dossier) or 'no claims'})"
    head = f"closeout of {closeout.mission}: {told}; journal head {closeout.head}"
    return "\n".join([harmless(" ".join(head.split())), *(_command(each) for each in noticed(dossier))])


def _command(each: Noticed) -> str:
    given = {"title": f"{each.title} [{each.rule.id}]"}
    if each.path is not None:
        given["file"] = each.path
        if each.lines is not None:
            given |= {"line": str(each.lines[0]), "endLine": str(each.lines[1])}
    told = ",".join(f"{name}={_property(value)}" for name, value in given.items())
    return f"::{COMMANDS[each.severity]} {told}::{_data(each.message)}"


def _data(text: str) -> str:
    return harmless(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
