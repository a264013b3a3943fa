"""The options of commands that give reports: which format goes to stdout or a file, and which others to files.

* `--format` and `--output` are about the command's own answer; `--report FORMAT=FILE` writes one more, as often as it
  is given. All are made before the first is written.
* `--json` is `--format json`.
* Files are written whole, in UTF-8 with line feeds; what stood in them before is gone.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from muniment.closeout.reports.dossier import Dossier
from muniment.closeout.reports.render import FORMATS, written
from muniment.closeout.reports.text import text
from muniment.errors import UsageError
from muniment_api.console import Console

Option = tuple[str, Path]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """What was asked for: the format of the answer ("": what the console says), its file, and reports beside it."""

    format: str
    output: Path | None
    beside: tuple[Option, ...]


def report_options(function: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command; it gets them as one argument, `reports`."""

    @click.option(
        "--format",
        "report_format",
        type=click.Choice(list(FORMATS)),
        help="How the verdict is written.  [default: text; with --json: json]",
    )
    @click.option(
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Write it to FILE, not stdout.",
    )
    @click.option(
        "--report",
        "beside",
        multiple=True,
        metavar="FORMAT=FILE",
        callback=_read,
        help="Write it to FILE in that format too; may be given several times.",
    )
    @functools.wraps(function)
    def with_reports(
        *args: object, report_format: str | None, output: Path | None, beside: tuple[Option, ...], **others: object
    ) -> None:
        given = ReportOptions(format=report_format or "", output=output, beside=beside)
        function(*args, reports=given, **others)

    return with_reports


def give(console: Console, dossier: Dossier, asked: ReportOptions) -> None:
    """Write a closeout's reports as they were asked for.

    Raises:
        UsageError: two formats are asked for at once.
        OSError: a file cannot be written.
    """
    if console.json and asked.format not in ("", "json"):
        raise UsageError(f"--json is --format json, and --format {asked.format} is asked for too")
    wanted = asked.format or ("json" if console.json else "text")
    files = [(path, written(dossier, each).text) for each, path in asked.beside]
    if asked.output is not None:
        files.append((asked.output, written(dossier, wanted).text))
    elif wanted == "text":
        console.out(text(dossier, console.styled))
    else:
        console.out(written(dossier, wanted).text.removesuffix("\n"))
    for path, report in files:
        path.write_text(report, encoding="utf-8", newline="\n")
        console.say(f"written: {path}")


def _read(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[Option, ...]:
    """Read `sarif=out.sarif`."""
    found: list[Option] = []
    for value in values:
        format_, _equals, file = value.partition("=")
        if format_ not in FORMATS or not file:
            raise click.BadParameter(f"give a format and a file, such as sarif=closeout.sarif; {value!r} is neither")
        found.append((format_, Path(file)))
    return tuple(found)
