"""make bench-derive: what the rules of derivation know of the recorded sessions, one function per figure.

`MUNIMENT_SESSIONS` names the folder of recorded sessions. The last line is one JSON object with all figures.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from muniment import EvidenceStore
from muniment.derive.effect_tables import UNKNOWN
from muniment.derive.effects import effect_of_simple
from muniment.derive.shell import base_name, simple_commands
from muniment.errors import EvidenceError
from muniment.model.nodes import Receipt, Workspace
from tests.bench.derive_reads import ledger_truth
from tests.bench.derive_runs import outcomes
from tests.bench.derive_speed import derivation_speed

FORMATS = ("claude-code", "codex", "mini-swe-agent", "openhands", "swe-agent", "opencode", "copilot-cli", "gemini-cli")
HEADS = 8


class Asked(NamedTuple):
    """A shell command of a session, with the root of its workspace where that is known, and the effect that it has."""

    command: str
    root: str | None
    effect: str


def unknown_effects(sessions: Path) -> dict[str, object]:
    """Per format: commands, the share of those with an unknown effect, and what makes it unknown most often."""
    figures: dict[str, object] = {}
    for name in FORMATS:
        commands = commands_of(sessions / name)
        if not commands:
            continue
        unknown = [asked for asked in commands if asked.effect == UNKNOWN]
        heads = Counter(head for asked in unknown for head in unknown_heads(asked))
        figures[name] = {
            "commands": len(commands),
            "unknown": len(unknown),
            "share": round(len(unknown) / len(commands), 4),
            "heads": dict(heads.most_common(HEADS)),
        }
    return figures


def unknown_heads(asked: Asked) -> set[str]:
    """Return the first words of the commands of a line that make its effect unknown."""
    simples = simple_commands(asked.command)
    if simples is None:
        return {"(not understood)"}
    unknown = [simple for simple in simples if effect_of_simple(simple, asked.root) == UNKNOWN]
    return {" ".join([base_name(word) for word in simple.words[:2]]) or "(substitution)" for simple in unknown}


def commands_of(folder: Path) -> list[Asked]:
    """Return the shell commands of all sessions of a format, in order."""
    return [asked for source in _sources(folder) for asked in _commands_in(source)]


def run_outcomes(sessions: Path) -> dict[str, object]:
    """Per format: how the runs ended, and how often a plain look at what was printed agrees."""
    figures: dict[str, object] = {}
    for name in FORMATS:
        with TemporaryDirectory() as folder, EvidenceStore.open(Path(folder) / "store", create=True) as store:
            for source in _sources(sessions / name):
                try:
                    store.import_session(source)
                except EvidenceError:
                    continue  # no importer knows it
            figures[name] = outcomes(store.snapshot(mission.mission) for mission in store.missions())
    return figures


def _sources(folder: Path) -> list[Path]:
    """Return what is to be imported of a format: a session's folder of subagents goes with the session."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    files = [file for file in files if not (file.is_dir() and file.with_suffix(".jsonl").exists())]
    return [file.with_suffix("") if file.with_suffix("").is_dir() else file for file in files]


def _commands_in(source: Path) -> list[Asked]:
    """Return the commands that were answered, with the effects of their receipts."""
    with TemporaryDirectory() as folder, EvidenceStore.open(Path(folder) / "store", create=True) as store:
        try:
            store.import_session(source)
        except EvidenceError:
            return []  # no importer knows it
        found: list[Asked] = []
        for mission in store.missions():
            snapshot = store.snapshot(mission.mission)
            root = next((space.root for space in snapshot.of_kind(Workspace)), None)
            found += [
                Asked(snapshot.text(node.command), root, node.effect)
                for node in snapshot.of_kind(Receipt)
                if node.command is not None and node.tool == "command"
            ]
        return found


FIGURES: dict[str, Callable[[Path], dict[str, object]]] = {
    "unknown_effects": unknown_effects,
    "run_outcomes": run_outcomes,
    "ledger_truth": ledger_truth,
    "derivation_speed": derivation_speed,
}
"""Figure → what measures it. Names on the command line choose some."""


def main() -> None:
    """Print the figures, or those that are named."""
    folder = os.environ.get("MUNIMENT_SESSIONS")
    if folder is None:
        sys.exit("set MUNIMENT_SESSIONS to the folder of recorded sessions")
    whole: dict[str, dict[str, object]] = {}
    for name in sys.argv[1:] or FIGURES:
        whole[name] = FIGURES[name](Path(folder))
        print(name)
        for key, value in whole[name].items():
            print(f"  {key}: {value}")
    print(json.dumps(whole, sort_keys=True))


if __name__ == "__main__":
    main()
