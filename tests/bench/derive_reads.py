"""Does the ledger hold what reads then show? Checked against the raw session files, by readers that share no code with
the importers or with the rules of shell reads.

* Each read of a raw file that tells its lines is taken: a `Read` of Claude Code by its structured result; in Codex a
  command that is nothing but `sed -n 'a,bp' f`, `cat f` or `nl -ba f | sed -n 'a,bp'`, with exit code 0 and all of its
  output.
* *before*: the lines of it that the ledger claimed to know right before the read are compared with those shown.
* *after*: what the ledger claims right after it.
* An unequal read is explained where a command that may have changed anything, or a write whose place nobody could tell,
  came between the sight of the line and the read: the view says so beside the text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from muniment import EvidenceStore
from muniment.derive.texts import split_lines
from muniment.model.ledger import LedgerState
from muniment.model.nodes import Excerpt, File, Receipt
from muniment.snapshot import Snapshot

_SED = re.compile(r"sed -n '(\d+),(\d+)p' ([\w./-]+)\Z")
_NL = re.compile(r"nl -ba ([\w./-]+) \| sed -n '\d+,\d+p'\Z")
_CAT = re.compile(r"cat ([\w./-]+)\Z")
_NUMBERED = re.compile(r" *(\d+)\t(.*)\Z", re.DOTALL)
_ODD = re.compile("truncated|omitted|\ufffd|REDACTED|\\[redacted")


class RawRead(NamedTuple):
    """What a raw session file shows of one read: its call, the path, and the lines from `first` on."""

    call: str
    path: str
    first: int
    lines: list[str]


def raw_reads(source: Path) -> list[RawRead]:
    """Return the reads of a raw file of Claude Code or Codex, in order."""
    bodies = [body for line in source.read_bytes().split(b"\n") if isinstance(body := _parsed(line), dict)]
    return list(_codex(bodies) if any("payload" in body for body in bodies[:5]) else _claude(bodies))


def _parsed(line: bytes) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None


def _claude(bodies: list[dict]) -> Iterator[RawRead]:  # type: ignore[type-arg]
    for body in bodies:
        told = body.get("toolUseResult")
        file = told.get("file") if isinstance(told, dict) else None
        message = body.get("message")
        blocks = message.get("content") if isinstance(message, dict) else None
        if not isinstance(file, dict) or not isinstance(blocks, list) or not isinstance(file.get("content"), str):
            continue
        call = next((b.get("tool_use_id") for b in blocks if b.get("type") == "tool_result"), None)
        lines = file["content"].split("\n")
        if lines[-1] == "":
            lines.pop()  # whether this is a line only the end of the file tells
        if isinstance(call, str) and lines and not _ODD.search(file["content"]):
            yield RawRead(call, file["filePath"], file["startLine"], lines)


def _codex(bodies: list[dict]) -> Iterator[RawRead]:  # type: ignore[type-arg]
    commands: dict[str, str] = {}
    for body in bodies:
        payload = body.get("payload") or {}
        if payload.get("type") == "function_call":
            given = _parsed(str(payload.get("arguments")).encode())
            command = given.get("cmd", given.get("command")) if isinstance(given, dict) else None
            commands[payload["call_id"]] = command[-1] if isinstance(command, list) else str(command)
        elif payload.get("type") == "function_call_output":
            found = _shown(commands.get(payload.get("call_id", ""), ""), str(payload.get("output")))
            if found is not None:
                yield RawRead(payload["call_id"], *found)


def _shown(command: str, output: str) -> tuple[str, int, list[str]] | None:
    if output.startswith('{"output":'):
        told = json.loads(output)
        output, code = told["output"], str(told["metadata"]["exit_code"])
    else:
        status = re.search(r"exited with code (\d+)", output[:300])
        output, code = output.partition("Output:\n")[2], status[1] if status else "?"
    lines = output.split("\n")
    if code != "0" or not output.endswith("\n") or _ODD.search(output) or len(lines) < 2:
        return None
    lines.pop()
    if sed := _SED.match(command):
        return (sed[3], int(sed[1]), lines)
    if cat := _CAT.match(command):
        return (cat[1], 1, lines)
    if nl := _NL.match(command):
        told = [_NUMBERED.match(line) for line in lines]
        return (nl[1], int(told[0][1]), [m[2] for m in told if m]) if all(told) and told[0] else None
    return None


def ledger_truth(sessions: Path) -> dict[str, object]:
    """Per format: reads, those of which the ledger knew lines before, the share that was equal, and the others."""
    figures: dict[str, object] = {}
    for name in ("claude-code", "codex"):
        told: list[tuple[str, str]] = []
        for source in sorted((sessions / name).glob("*.jsonl")):
            told += _of_session(source)
        figures[name] = _figures(told)
    return figures


def _figures(told: list[tuple[str, str]]) -> dict[str, object]:
    known = [what for kind, what in told if kind == "before" and what != "nothing known"]
    after = [what for kind, what in told if kind == "after" and what != "nothing known"]
    return {
        "reads": sum(kind == "before" for kind, _ in told),
        "known_before": len(known),
        "equal_before": round(sum(what == "equal" for what in known) / max(len(known), 1), 4),
        "unequal_before": [what for what in known if what != "equal"],
        "known_after": len(after),
        "equal_after": round(sum(what == "equal" for what in after) / max(len(after), 1), 4),
        "unequal_after": [what for what in after if what != "equal"],
    }


def _of_session(source: Path) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    with TemporaryDirectory() as folder, EvidenceStore.open(Path(folder) / "store", create=True) as store:
        beside = source.with_suffix("")
        store.import_session(beside if beside.is_dir() else source)
        for mission in store.missions():
            snapshot = store.snapshot(mission.mission)
            for read in raw_reads(source):
                nodes = snapshot.named(f"{read.call}:result") or snapshot.named(f"{read.call}")
                receipt = next((node for node in nodes if isinstance(node, Receipt)), None)
                if receipt is not None:
                    found.append(("before", _compared(snapshot, receipt, read, receipt.ordinal - 1, source.stem)))
                    found.append(("after", _compared(snapshot, receipt, read, receipt.ordinal, source.stem)))
    return found


def _compared(snapshot: Snapshot, receipt: Receipt, read: RawRead, ordinal: int, name: str) -> str:
    then = snapshot.upto(ordinal)
    file = next((f for f in then.of_kind(File) if f.key.endswith(read.path) or f.path == read.path), None)
    state = then.ledger(file.id) if file is not None else None
    if state is None:
        return "nothing known"
    claimed = _claimed(then, state, read)
    if not claimed:
        return "nothing known"
    for line, (text, excerpt) in sorted(claimed.items()):
        if text != read.lines[line - read.first]:
            return f"{name} {receipt.handle} {read.path}:{line}: {_why(then, excerpt, ordinal)}"
    return "equal"


def _claimed(snapshot: Snapshot, state: LedgerState, read: RawRead) -> dict[int, tuple[str, Excerpt]]:
    found: dict[int, tuple[str, Excerpt]] = {}
    for segment in state.segments:
        node = snapshot.node(segment.excerpt)
        if not isinstance(node, Excerpt):
            continue
        lines = split_lines(snapshot.text(node.text))[segment.offset : segment.offset + segment.count]
        for place, text in enumerate(lines, start=segment.start):
            if read.first <= place < read.first + len(read.lines):
                found[place] = (text, node)
    return found


def _why(snapshot: Snapshot, excerpt: Excerpt, ordinal: int) -> str:
    between = [
        receipt
        for receipt in snapshot.of_kind(Receipt)
        if excerpt.ordinal < receipt.ordinal <= ordinal and receipt.effect == "unknown"
    ]
    if between:
        commands = [snapshot.text(r.command)[:60] if r.command is not None else r.name for r in between[-2:]]
        return f"seen at {excerpt.ordinal}, then {len(between)} of unknown effect, last {commands}"
    return f"UNEXPLAINED: seen at {excerpt.ordinal} ({excerpt.how})"
