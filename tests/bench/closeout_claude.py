"""Transcripts of Claude Code, cut and continued: one line per content block, a result in a line of its own."""

from __future__ import annotations

import json
import uuid
from copy import deepcopy
from datetime import datetime, timedelta
from pathlib import Path

from tests.bench.closeout_steps import (
    Asked,
    Called,
    Edited,
    Failed,
    Json,
    Ran,
    RawRun,
    Read,
    Said,
    Step,
    Together,
    Wrote,
    shown,
)

_Tool = Ran | Wrote | Edited | Failed | Read | Called
_CODE = "Exit code "


class ClaudeRaw:
    """One transcript. Lines of subagents that stand inside it stay; files of theirs beside it are left out."""

    form = "claude-code"

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.lines = [line for line in path.read_text("utf-8").split("\n") if line.strip()]
        self._bodies = [_body(line) for line in self.lines]
        self.root = next((str(body["cwd"]) for body in self._bodies if body.get("cwd")), "/")

    def runs(self) -> list[RawRun]:
        """Return the commands that came back, in order."""
        calls: dict[str, tuple[int, str]] = {}
        found: list[RawRun] = []
        for place, body in enumerate(self._bodies):
            for block in _blocks(body):
                if block.get("type") == "tool_use" and block.get("name") == "Bash":
                    calls[block["id"]] = (place, str(block["input"].get("command", "")))
                ident = str(block.get("tool_use_id"))
                if block.get("type") == "tool_result" and ident in calls:
                    call, command = calls[ident]
                    code, output = _ended(block, body.get("toolUseResult"))
                    found.append(RawRun(call, place, ident, command, output, code))
        return found

    def before(self, run: RawRun) -> ClaudeTelling:
        """Return the transcript up to a call, with the answers that calls before it still got."""
        kept = self.lines[: run.call]
        calls = {block["id"] for body in self._bodies[: run.call] for block in _blocks(body) if "id" in block}
        for place in range(run.call, run.result):
            blocks = _blocks(self._bodies[place])
            if blocks and all(block.get("tool_use_id") in calls for block in blocks):
                kept.append(self.lines[place])
        return ClaudeTelling(self.name, kept, self._bodies[run.call])


class ClaudeTelling:
    """A transcript that grows."""

    def __init__(self, name: str, lines: list[str], sample: Json) -> None:
        self._name = name
        self._lines = lines
        self._sample = {key: deepcopy(value) for key, value in sample.items() if key not in ("message", "requestId")}
        self._cwd = self._sample.get("cwd")
        self._message = {**sample["message"], "content": []}
        self._parent = sample.get("parentUuid")
        self._clock = datetime.fromisoformat(str(sample["timestamp"]).replace("Z", "+00:00"))
        self._count = 0
        self.last = ""

    def add(self, step: Step) -> None:
        """Let a step happen."""
        if isinstance(step, Said):
            self._assistant([{"type": "text", "text": step.text}], "end_turn")
        elif isinstance(step, Asked):
            self._line("user", {"role": "user", "content": step.text})
        elif isinstance(step, Together):
            calls = [self._call(each) for each in step.steps]
            for place in step.answers:
                self._answer(step.steps[place], calls[place])
        else:
            self._answer(step, self._call(step))

    def _call(self, step: _Tool) -> str:
        name, given, *_ = _told(step)
        self.last = f"toolu_{self._fresh().replace('-', '')[:24]}"
        if isinstance(step, Ran):
            self._sample["cwd"] = step.folder or self._cwd
        self._assistant([{"type": "tool_use", "id": self.last, "name": name, "input": given}], "tool_use")
        return self.last

    def _answer(self, step: _Tool, ident: str) -> None:
        _, _, content, result, failed = _told(step)
        block = {"type": "tool_result", "tool_use_id": ident, "content": content, "is_error": failed}
        if content is not None:
            self._line("user", {"role": "user", "content": [block]}, toolUseResult=result)

    def write(self, folder: Path) -> Path:
        """Write the transcript into a folder."""
        path = folder / self._name
        path.write_text("\n".join(self._lines) + "\n", "utf-8")
        return path

    def _assistant(self, content: list[Json], stop: str) -> None:
        message = {**self._message, "id": f"msg_{self._fresh()[:20]}", "content": content, "stop_reason": stop}
        self._line("assistant", message, requestId=f"req_{self._fresh()[:20]}")

    def _line(self, kind: str, message: Json, **beside: object) -> None:
        ident, self._clock = self._fresh(), self._clock + timedelta(seconds=7)
        stamp = self._clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        body = {
            **self._sample,
            "parentUuid": self._parent,
            "type": kind,
            "message": message,
            "uuid": ident,
            "timestamp": stamp,
        }
        self._parent = ident
        self._lines.append(json.dumps({**body, **beside}, ensure_ascii=False))

    def _fresh(self) -> str:
        self._count += 1
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self._name} {self._sample.get('uuid')} {self._count}"))


def _told(step: _Tool) -> tuple[str, Json, str | None, object, bool]:
    """Return the tool, its input, the text and the object of its result, and whether it failed."""
    if isinstance(step, Ran):
        return _command(step)
    if isinstance(step, Called):
        return step.name, step.given, step.output, step.output, False
    if isinstance(step, Read):
        lines = shown(step.content, step.first, step.last)
        total = len(shown(step.content, 1, None))
        text = "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, step.first))
        told = {"filePath": step.path, "content": "\n".join(lines), "numLines": len(lines), "startLine": step.first}
        given: Json = {"file_path": step.path}
        if (step.first, step.last) != (1, None):
            given |= {"offset": step.first, "limit": len(lines)}
        return "Read", given, text, {"type": "text", "file": {**told, "totalLines": total}}, False
    if isinstance(step, Wrote):
        kind = "create" if step.before is None else "update"
        said = f"File created successfully at: {step.path}" if kind == "create" else _updated(step.path)
        result = {"type": kind, "filePath": step.path, "content": step.content, "structuredPatch": []}
        given = {"file_path": step.path, "content": step.content}
        return "Write", given, said, {**result, "originalFile": step.before}, False
    if isinstance(step, Failed):
        given = {"file_path": step.path, "old_string": step.old, "new_string": step.old + " "}
        error = f"String to replace not found in file.\nString: {step.old}"
        return "Edit", given, f"<tool_use_error>{error}</tool_use_error>", f"Error: {error}", True
    assert isinstance(step, Edited)
    given = {"replace_all": False, "file_path": step.path, "old_string": step.old, "new_string": step.new}
    result = {"filePath": step.path, "oldString": step.old, "newString": step.new, "originalFile": step.before}
    return "Edit", given, _updated(step.path), {**result, "structuredPatch": [_hunk(step)], "replaceAll": False}, False


def _command(step: Ran) -> tuple[str, Json, str | None, object, bool]:
    given = {"command": step.command, "description": "Runs a command"}
    if step.code is None:
        return "Bash", given, None, None, False
    if step.code:
        return "Bash", given, f"{_CODE}{step.code}\n{step.output}", f"Error: {_CODE}{step.code}\n{step.output}", True
    result = {"stdout": step.output, "stderr": "", "interrupted": False, "isImage": False}
    return "Bash", given, step.output, result, False


def _updated(path: str) -> str:
    return f"The file {path} has been updated successfully."


def _hunk(step: Edited) -> Json:
    """The one hunk of an edit, with up to three lines around."""
    before, after = step.before.split("\n"), step.before.replace(step.old, step.new, 1).split("\n")
    first = step.before[: step.before.index(step.old)].count("\n")
    old = before[first : first + step.old.count("\n") + 1]
    new = after[first : first + step.new.count("\n") + 1]
    head, tail = before[max(first - 3, 0) : first], before[first + len(old) : first + len(old) + 3]
    lines = [f" {x}" for x in head] + [f"-{x}" for x in old] + [f"+{x}" for x in new] + [f" {x}" for x in tail]
    start, around = first - len(head) + 1, len(head) + len(tail)
    sizes = {"oldStart": start, "oldLines": around + len(old), "newStart": start, "newLines": around + len(new)}
    return {**sizes, "lines": lines}


def _body(line: str) -> Json:
    try:
        body = json.loads(line)
    except ValueError:
        return {}
    return body if isinstance(body, dict) and not body.get("isSidechain") else {}


def _blocks(body: Json) -> list[Json]:
    message = body.get("message") if body.get("type") in ("assistant", "user") else None
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []


def _ended(block: Json, result: object) -> tuple[int | None, str]:
    """Return the exit code and the output of a command."""
    content = block.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content)
    text = str(content or "")
    if not block.get("is_error"):
        running = isinstance(result, dict) and (result.get("interrupted") or result.get("backgroundTaskId"))
        return None if running else 0, text
    first, _, rest = text.removeprefix("Error: ").partition("\n")
    number = first.removeprefix(_CODE)
    return (int(number), rest) if first.startswith(_CODE) and number.isdecimal() else (None, text)
