"""Rollouts of Codex, cut and continued: a call and its output are lines of their own, answers stand there twice."""

from __future__ import annotations

import json
import re
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
    UnableError,
    Wrote,
    shown,
)

_EXITED = re.compile(r"(?:Process exited with code|Exit code:) (-?\d+)")


class CodexRaw:
    """One rollout."""

    form = "codex"

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.lines = [line for line in path.read_text("utf-8").split("\n") if line.strip()]
        self._bodies: list[Json] = [json.loads(line) for line in self.lines]
        self.root = str(self._payload(0).get("cwd", "/"))

    def _payload(self, place: int) -> Json:
        payload = self._bodies[place].get("payload")
        return payload if isinstance(payload, dict) else {}

    def runs(self) -> list[RawRun]:
        """Return the commands that came back, in order."""
        calls: dict[str, tuple[int, str]] = {}
        found: list[RawRun] = []
        for place in range(len(self._bodies)):
            payload = self._payload(place)
            ident = str(payload.get("call_id"))
            if payload.get("type") == "function_call" and payload.get("name") == "exec_command":
                calls[ident] = (place, str(json.loads(payload["arguments"]).get("cmd", "")))
            elif payload.get("type") == "function_call_output" and ident in calls:
                call, command = calls[ident]
                head, _, output = str(payload["output"]).partition("Output:\n")
                code = _EXITED.search(head)
                found.append(RawRun(call, place, ident, command, output, int(code[1]) if code else None))
        return found

    def before(self, run: RawRun) -> CodexTelling:
        """Return the rollout up to a call, with the answers that calls before it still got."""
        kept = self.lines[: run.call]
        calls = {self._payload(place).get("call_id") for place in range(run.call)} - {None}
        for place in range(run.call, run.result):
            payload = self._payload(place)
            if payload.get("type") in ("function_call_output", "custom_tool_call_output", "patch_apply_end"):
                kept += [self.lines[place]] if payload.get("call_id") in calls else []
        return CodexTelling(self.name, kept, self._bodies[run.call], self.root)


class CodexTelling:
    """A rollout that grows."""

    def __init__(self, name: str, lines: list[str], sample: Json, root: str) -> None:
        self._name = name
        self._lines = lines
        self._root = root
        self._key = str(sample["payload"]["call_id"])[-6:]
        self._clock = datetime.fromisoformat(str(sample["timestamp"]).replace("Z", "+00:00"))
        self._count = 0
        self.last = ""

    def add(self, step: Step) -> None:
        """Let a step happen."""
        if isinstance(step, Said):
            text = [{"type": "output_text", "text": step.text}]
            self._event({"type": "agent_message", "message": step.text, "phase": "final_answer"})
            self._item({"type": "message", "id": f"msg_{self._fresh()}", "role": "assistant", "content": text})
            self._event({"type": "task_complete", "last_agent_message": step.text})
        elif isinstance(step, Asked):
            written = [{"type": "input_text", "text": step.text}]
            self._item({"type": "message", "role": "user", "content": written})
            self._event({"type": "user_message", "message": step.text, "images": []})
        elif isinstance(step, Together):
            raise UnableError("this rollout calls one tool after the other")
        elif isinstance(step, Ran):
            self._command(step)
        elif isinstance(step, Called):
            ident = self.last = f"call_{self._fresh()}"
            given = json.dumps(step.given)
            self._item({"type": "function_call", "name": step.name, "arguments": given, "call_id": ident})
            self._item({"type": "function_call_output", "call_id": ident, "output": step.output})
        elif isinstance(step, Read):
            last = step.last or len(shown(step.content, 1, None))
            lines = "".join(f"{line}\n" for line in shown(step.content, step.first, step.last))
            whole = (step.first, step.last) == (1, None)
            self._command(Ran(f"cat {step.path}" if whole else f"sed -n '{step.first},{last}p' {step.path}", lines))
        else:
            self._patched(step)

    def write(self, folder: Path) -> Path:
        """Write the rollout into a folder."""
        path = folder / self._name
        path.write_text("\n".join(self._lines) + "\n", "utf-8")
        return path

    def _command(self, step: Ran) -> None:
        ident = self.last = f"call_{self._fresh()}"
        given = json.dumps({"cmd": step.command, "workdir": step.folder or self._root, "yield_time_ms": 30000})
        call = {"type": "function_call", "id": f"fc_{self._fresh()}", "name": "exec_command", "arguments": given}
        self._item({**call, "call_id": ident})
        if step.code is None:
            return
        head = f"Chunk ID: 5b2c10\nWall time: 1.2000 seconds\nProcess exited with code {step.code}\n"
        output = f"{head}Original token count: {len(step.output) // 4}\nOutput:\n{step.output}"
        self._item({"type": "function_call_output", "call_id": ident, "output": output})

    def _patched(self, step: Wrote | Edited | Failed) -> None:
        ident = self.last = f"call_{self._fresh()}"
        patch, change = _patch(step)
        call = {"type": "custom_tool_call", "id": f"ctc_{self._fresh()}", "status": "completed", "call_id": ident}
        text = f"*** Begin Patch\n{patch}*** End Patch"
        self._item({**call, "name": "apply_patch", "input": text})
        failed = isinstance(step, Failed)
        mark = "A" if isinstance(step, Wrote) else "M"
        said = f"Success. Updated the following files:\n{mark} {step.path}\n"
        if isinstance(step, Failed):
            said = f"apply_patch verification failed: Failed to find expected lines in {step.path}:\n{step.old}\n"
        else:
            end = {"type": "patch_apply_end", "call_id": ident, "stdout": said, "stderr": "", "success": True}
            self._event({**end, "changes": {step.path: change}})
        output = said if failed else f"Exit code: 0\nWall time: 0 seconds\nOutput:\n{said}"
        self._item({"type": "custom_tool_call_output", "call_id": ident, "output": output})

    def _event(self, payload: Json) -> None:
        self._line("event_msg", payload)

    def _item(self, payload: Json) -> None:
        self._line("response_item", payload)

    def _line(self, kind: str, payload: Json) -> None:
        self._clock += timedelta(seconds=3)
        stamp = self._clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._lines.append(json.dumps({"timestamp": stamp, "type": kind, "payload": payload}, ensure_ascii=False))

    def _fresh(self) -> str:
        self._count += 1
        return f"{self._key}mut{self._count:04}"


def _patch(step: Wrote | Edited | Failed) -> tuple[str, Json]:
    """Return the body of a patch, and the change as the end of the patch tells it."""
    if isinstance(step, Failed):
        return f"*** Update File: {step.path}\n@@\n-{step.old}\n+{step.old} \n", {}
    if isinstance(step, Wrote):
        if step.before is not None:
            raise UnableError("apply_patch adds a file or changes lines; it writes over none")
        lines = "".join(f"+{line}\n" for line in shown(step.content, 1, None))
        return f"*** Add File: {step.path}\n{lines}", {"type": "add", "content": step.content}
    old, new = _lines_around(step)
    body = "".join(f"-{line}\n" for line in old) + "".join(f"+{line}\n" for line in new)
    first = step.before[: step.before.index(step.old)].count("\n") + 1
    diff = f"@@ -{first},{len(old)} +{first},{len(new)} @@\n{body}"
    return f"*** Update File: {step.path}\n@@\n{body}", {"type": "update", "unified_diff": diff, "move_path": None}


def _lines_around(step: Edited) -> tuple[list[str], list[str]]:
    """Return the whole lines that an edit takes out and puts in."""
    after = step.before.replace(step.old, step.new, 1).split("\n")
    before = step.before.split("\n")
    first = step.before[: step.before.index(step.old)].count("\n")
    old, new = step.old.count("\n") + 1, step.new.count("\n") + 1
    return before[first : first + old], after[first : first + new]
