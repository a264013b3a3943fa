"""Conversations of OpenHands (V1), cut and continued: a folder with one file an event."""

from __future__ import annotations

import json
import shutil
import uuid
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


class OpenHandsRaw:
    """One conversation."""

    form = "openhands"

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self.folder = path
        self.files = sorted((path / "events").glob("event-*.json"))
        self.events: list[Json] = [json.loads(file.read_text("utf-8")) for file in self.files]
        told = [event["observation"]["metadata"] for event in self.events if _is_command_result(event)]
        self.root = next((str(each["working_dir"]) for each in told if each.get("working_dir")), "/")

    def runs(self) -> list[RawRun]:
        """Return the commands that came back, in order."""
        calls: dict[str, tuple[int, str]] = {}
        found: list[RawRun] = []
        for place, event in enumerate(self.events):
            ident = str(event.get("tool_call_id"))
            if event.get("kind") == "ActionEvent" and event.get("tool_name") == "execute_bash":
                calls[ident] = (place, str(event["action"].get("command", "")))
            elif _is_command_result(event) and ident in calls:
                call, command = calls[ident]
                told = event["observation"]
                code = told["metadata"].get("exit_code")
                found.append(RawRun(call, place, ident, command, str(told.get("output", "")), code))
        return found

    def before(self, run: RawRun) -> OpenHandsTelling:
        """Return the conversation up to a call, with the answers that calls before it still got."""
        calls = {event.get("tool_call_id") for event in self.events[: run.call]} - {None}
        kept = list(range(run.call))
        kept += [p for p in range(run.call, run.result) if self.events[p].get("tool_call_id") in calls]
        return OpenHandsTelling(self, [self.files[place] for place in kept], self.events[run.call])


class OpenHandsTelling:
    """A conversation that grows."""

    def __init__(self, raw: OpenHandsRaw, files: list[Path], sample: Json) -> None:
        self._raw = raw
        self._files = files
        self._number = int(files[-1].name.split("-")[1]) if files else 0
        self._new: list[tuple[str, Json]] = []
        self._sample = sample
        self._clock = datetime.fromisoformat(sample["timestamp"])
        self.last = ""

    def add(self, step: Step) -> None:
        """Let a step happen."""
        if isinstance(step, Said):
            self._call("finish", {"kind": "FinishAction", "message": step.text})
            self._result("finish", {"kind": "FinishObservation", "message": step.text})
        elif isinstance(step, Asked):
            message = {"role": "user", "content": [{"type": "text", "text": step.text}]}
            self._event({"kind": "MessageEvent", "source": "user", "llm_message": message})
        elif isinstance(step, Called | Together):
            raise UnableError("OpenHands has a shell and an editor, one after the other")
        elif isinstance(step, Ran):
            self._call("execute_bash", {"kind": "ExecuteBashAction", "command": step.command, "is_input": False})
            if step.code is not None:
                place = step.folder or self._raw.root
                metadata = {"exit_code": step.code, "pid": -1, "working_dir": place, "prefix": ""}
                metadata |= {"suffix": f"\n[The command completed with exit code {step.code}.]"}
                told = {"kind": "ExecuteBashObservation", "output": step.output, "command": step.command}
                self._result("execute_bash", {**told, "error": False, "timeout": False, "metadata": metadata})
        else:
            given, told = _editor(step)
            self._call("str_replace_editor", {"kind": "StrReplaceEditorAction", "path": step.path, **given})
            self._result("str_replace_editor", {"kind": "StrReplaceEditorObservation", "path": step.path, **told})

    def write(self, folder: Path) -> Path:
        """Write the conversation into a folder."""
        path = folder / self._raw.name
        (path / "events").mkdir(parents=True, exist_ok=True)
        shutil.copy(self._raw.folder / "base_state.json", path)
        for file in self._files:
            shutil.copy(file, path / "events")
        for name, event in self._new:
            (path / "events" / name).write_text(json.dumps(event, ensure_ascii=False), "utf-8")
        return path

    def _call(self, tool: str, action: Json) -> None:
        self.last = f"toolu_{self._fresh().replace('-', '')[:24]}"
        function = {"arguments": json.dumps({**action, "security_risk": "LOW"}), "name": tool}
        call = {"index": 0, "function": function, "id": self.last, "type": "function"}
        beside = {"llm_response_id": f"chatcmpl-{self._fresh()}", "security_risk": "LOW", "thought": []}
        event = {"kind": "ActionEvent", "source": "agent", "action": action, "tool_name": tool, "tool_call": call}
        self._action = self._event({**event, "tool_call_id": self.last, **beside})

    def _result(self, tool: str, observation: Json) -> None:
        event = {"kind": "ObservationEvent", "source": "environment", "tool_name": tool, "tool_call_id": self.last}
        self._event({**event, "observation": observation, "action_id": self._action})

    def _event(self, body: Json) -> str:
        ident, self._clock = self._fresh(), self._clock + timedelta(seconds=2)
        self._number += 1
        body = {**body, "id": ident, "timestamp": self._clock.isoformat()}
        self._new.append((f"event-{self._number:05}-{ident}.json", body))
        return ident

    def _fresh(self) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self._sample['id']} {self._number} {len(self._new)}"))


def _editor(step: Wrote | Edited | Failed | Read) -> tuple[Json, Json]:
    """Return what the editor tool was given, and what it answered."""
    if isinstance(step, Read):
        pairs = enumerate(shown(step.content, step.first, step.last), step.first)
        text = "\n".join(f"{number:>6}\t{line}" for number, line in pairs)
        given: Json = {"command": "view"}
        if (step.first, step.last) != (1, None):
            given["view_range"] = [step.first, step.last or -1]
        said = f"Here's the result of running `cat -n` on {step.path}:\n{text}\n"
        return given, {"output": said, "command": "view", "prev_exist": True}
    if isinstance(step, Wrote):
        told = {"output": f"File created successfully at: {step.path}", "command": "create", "prev_exist": False}
        return {"command": "create", "file_text": step.content}, {**told, "new_content": step.content}
    if isinstance(step, Failed):
        error = f"No replacement was performed, old_str `{step.old}` did not appear verbatim in {step.path}."
        return {"command": "str_replace", "old_str": step.old, "new_str": step.old + " "}, {"error": error}
    after = step.before.replace(step.old, step.new, 1)
    told = {"output": f"The file {step.path} has been edited.", "command": "str_replace", "prev_exist": True}
    given = {"command": "str_replace", "old_str": step.old, "new_str": step.new}
    return given, {**told, "old_content": step.before, "new_content": after}


def _is_command_result(event: Json) -> bool:
    return event.get("kind") == "ObservationEvent" and event["observation"].get("kind") == "ExecuteBashObservation"
