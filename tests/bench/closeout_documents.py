"""Sessions that are one JSON document, cut and continued: mini-swe-agent, which has a shell alone, and opencode."""

from __future__ import annotations

import json
import re
from copy import deepcopy
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


class MiniRaw:
    """One trajectory of mini-swe-agent."""

    form = "mini-swe-agent"

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.document: Json = json.loads(path.read_text("utf-8"))
        self.root = str(self.document["info"]["config"]["environment"].get("cwd") or "/")

    def runs(self) -> list[RawRun]:
        """Return the commands that came back, in order."""
        found: list[RawRun] = []
        calls: dict[str, tuple[int, str]] = {}
        for place, message in enumerate(self.document["messages"]):
            for action in message.get("extra", {}).get("actions") or []:
                calls[action["tool_call_id"]] = (place, action["command"])
            ident = message.get("tool_call_id")
            if message.get("role") == "tool" and ident in calls:
                call, command = calls[ident]
                extra = message["extra"]
                found.append(
                    RawRun(call, place, ident, command, str(extra.get("raw_output", "")), extra.get("returncode"))
                )
        return found

    def before(self, run: RawRun) -> MiniTelling:
        """Return the trajectory up to a call."""
        return MiniTelling(self.name, self.document, run.call)


class MiniTelling:
    """A trajectory that grows."""

    def __init__(self, name: str, document: Json, end: int) -> None:
        self._name = name
        self._document = {**document, "messages": document["messages"][:end]}
        self._sample = document["messages"][end]
        self._count = 0
        self._clock = float(self._sample["extra"]["timestamp"])
        self.last = ""

    def add(self, step: Step) -> None:
        """Let a step happen."""
        if isinstance(step, Said):
            self._say(step.text, None)
        elif isinstance(step, Asked):
            raise UnableError("nobody writes to mini-swe-agent while it works")
        elif isinstance(step, Called | Together) or (isinstance(step, Ran) and step.folder):
            raise UnableError("mini-swe-agent has a shell alone, always in the same folder")
        else:
            self._ran(_as_command(step))

    def write(self, folder: Path) -> Path:
        """Write the trajectory into a folder."""
        path = folder / self._name
        path.write_text(json.dumps(self._document, ensure_ascii=False), "utf-8")
        return path

    def _ran(self, step: Ran) -> None:
        self._count += 1
        ident = self.last = f"call_00_{self._sample['extra']['actions'][0]['tool_call_id'][-8:]}mut{self._count:04}"
        self._say("", (ident, step.command))
        if step.code is None:
            return
        text = f"<returncode>{step.code}</returncode>\n<output>\n{step.output}</output>"
        extra = {"raw_output": step.output, "returncode": step.code, "timestamp": self._time(), "exception_info": ""}
        self._document["messages"].append({"content": text, "extra": extra, "tool_call_id": ident, "role": "tool"})

    def _say(self, text: str, call: tuple[str, str] | None) -> None:
        message = deepcopy(self._sample)
        message["content"] = text
        message["extra"] = {"actions": [], "timestamp": self._time(), "cost": 0.001}
        message["tool_calls"] = None
        if call is not None:
            ident, command = call
            function = {"arguments": json.dumps({"command": command}), "name": "bash"}
            message["tool_calls"] = [{"index": 0, "function": function, "id": ident, "type": "function"}]
            message["extra"]["actions"] = [{"command": command, "tool_call_id": ident}]
        self._document["messages"].append(message)

    def _time(self) -> float:
        self._clock += 5.0
        return self._clock


def _as_command(step: Ran | Wrote | Edited | Failed | Read) -> Ran:
    """How an agent that has only a shell does a step."""
    if isinstance(step, Ran):
        return step
    if isinstance(step, Wrote):
        return Ran(f"cat > {step.path} <<'EOF'\n{step.content}EOF")
    if isinstance(step, Edited):
        if re.search(r"[\n/&\\.*\[\]^$']", step.old + step.new):
            raise UnableError("sed would need more than plain words for this edit")
        return Ran(f"sed -i 's/{step.old}/{step.new}/' {step.path}")
    if isinstance(step, Failed):
        raise UnableError("sed says nothing where it finds nothing")
    lines = shown(step.content, step.first, step.last)
    text = "".join(f"{line}\n" for line in lines)
    if (step.first, step.last) == (1, None):
        return Ran(f"cat {step.path}", text)
    return Ran(f"sed -n '{step.first},{step.last or len(lines)}p' {step.path}", text)


class OpenCodeRaw:
    """One exported session of opencode."""

    form = "opencode"

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.document: Json = json.loads(path.read_text("utf-8"))
        self.root = str(self.document["info"]["directory"])

    def runs(self) -> list[RawRun]:
        """Return the commands that came back, in order."""
        found: list[RawRun] = []
        for place, message in enumerate(self.document["messages"]):
            for at, part in enumerate(message["parts"]):
                if part.get("type") != "tool" or part.get("tool") != "bash":
                    continue
                state = part["state"]
                code = state.get("metadata", {}).get("exit")
                command = str(state["input"].get("command", ""))
                found.append(RawRun(place, place, part["callID"], command, str(state.get("output", "")), code, at))
        return found

    def before(self, run: RawRun) -> OpenCodeTelling:
        """Return the session up to a call."""
        return OpenCodeTelling(self.name, self.document, run)


class OpenCodeTelling:
    """A session that grows: each step in a message of its own."""

    def __init__(self, name: str, document: Json, run: RawRun) -> None:
        self._name = name
        cut = document["messages"][run.call]
        kept = [*document["messages"][: run.call], {**cut, "parts": cut["parts"][: run.part]}]
        self._document = {**document, "messages": kept}
        self._sample = cut["info"]
        self._root = str(document["info"]["directory"])
        self._key = run.ident[-6:]
        self._clock = int(self._sample["time"]["created"]) + 60_000
        self._count = 0
        self.last = ""

    def add(self, step: Step) -> None:
        """Let a step happen."""
        if isinstance(step, Said):
            self._message([{"type": "text", "text": step.text}], finish="stop")
        elif isinstance(step, Asked):
            self._message([{"type": "text", "text": step.text}], role="user")
        elif isinstance(step, Together):
            raise UnableError("an export of opencode tells calls one after the other")
        else:
            self.last = f"call_{self._fresh()}"
            tool, state = self._state(step)
            part = {"type": "tool", "tool": tool, "callID": self.last, "state": state}
            self._message([part], finish="tool-calls")

    def write(self, folder: Path) -> Path:
        """Write the session into a folder."""
        path = folder / self._name
        path.write_text(json.dumps(self._document, ensure_ascii=False), "utf-8")
        return path

    def _state(self, step: Ran | Wrote | Edited | Failed | Read | Called) -> tuple[str, Json]:
        time = {"start": self._tick(), "end": self._tick()}
        if isinstance(step, Ran):
            return "bash", self._ran(step, time)
        if isinstance(step, Called):
            return step.name, _done(step.given, step.output, {}, time)
        if isinstance(step, Read):
            return "read", _read(step, time)
        if isinstance(step, Wrote):
            told = {"filepath": step.path, "exists": step.before is not None, "diagnostics": {}}
            wrote = {"filePath": step.path, "content": step.content}
            return "write", _done(wrote, "Wrote file successfully.", told, time)
        if isinstance(step, Failed):
            tried = {"filePath": step.path, "oldString": step.old, "newString": step.old + " "}
            return "edit", {"status": "error", "input": tried, "error": "Error: oldString not found", "time": time}
        edited = {"filePath": step.path, "oldString": step.old, "newString": step.new}
        after = step.before.replace(step.old, step.new, 1)
        told = {"file": step.path, "before": step.before, "after": after, "additions": 1, "deletions": 1}
        return "edit", _done(edited, "Edit applied successfully.", {"diagnostics": {}, "filediff": told}, time)

    def _ran(self, step: Ran, time: Json) -> Json:
        given = {"command": step.command, "workdir": step.folder or self._root, "description": "Runs a command"}
        if step.code is None:
            return {"status": "running", "input": given, "time": {"start": time["start"]}}
        told = {"output": step.output, "exit": step.code, "description": "Runs a command", "truncated": False}
        return _done(given, step.output, told, time)

    def _message(self, parts: list[Json], *, role: str = "assistant", finish: str = "") -> None:
        ident = f"msg_{self._fresh()}"
        info = {**self._sample, "id": ident, "time": {"created": self._tick(), "completed": self._tick()}}
        info |= {"finish": finish} if finish else {}
        if role == "user":
            kept = {key: info[key] for key in ("id", "sessionID", "time")}
            info = {**kept, "role": "user", "agent": "build"}
        session = self._sample["sessionID"]
        own = [{**part, "id": f"prt_{self._fresh()}", "sessionID": session, "messageID": ident} for part in parts]
        self._document["messages"].append({"info": info, "parts": own})

    def _tick(self) -> int:
        self._clock += 900
        return self._clock

    def _fresh(self) -> str:
        self._count += 1
        return f"{self._key}mut{self._count:04}"


def _done(given: object, output: str, told: object, time: object) -> Json:
    return {"status": "completed", "input": given, "output": output, "metadata": told, "title": "", "time": time}


def _read(step: Read, time: Json) -> Json:
    lines = enumerate(shown(step.content, step.first, step.last), step.first)
    text = "\n".join(f"{number}: {line}" for number, line in lines)
    total = len(shown(step.content, 1, None))
    end = f"(End of file - total {total} lines)" if step.last in (None, total) else "(File has more lines.)"
    output = f"<path>{step.path}</path>\n<type>file</type>\n<content>\n{text}\n\n{end}\n</content>"
    given: Json = {"filePath": step.path}
    if (step.first, step.last) != (1, None):
        given |= {"offset": step.first, "limit": len(shown(step.content, step.first, step.last))}
    return _done(given, output, {"truncated": False}, time)
