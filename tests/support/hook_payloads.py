"""A made-up Claude Code session in both forms: the transcript, and the payloads that hooks get while it runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from tests.support.claude_lines import SESSION, Transcript

ROOT = "/w/project"


class BothForms:
    """Each call adds to both forms what happens in one step."""

    def __init__(self) -> None:
        self.transcript = Transcript()
        self.payloads: list[dict[str, object]] = []
        self._prompts = 0
        self.hook("SessionStart", source="startup")

    def hook(self, event: str, /, **fields: object) -> BothForms:
        """A hook alone."""
        common = {"session_id": SESSION, "cwd": ROOT, "prompt_id": f"p{self._prompts}"}
        self.payloads.append({**common, "hook_event_name": event, **fields})
        return self

    def prompt(self, text: str) -> BothForms:
        """The user says something."""
        self._prompts += 1
        self.transcript.user(text)
        return self.hook("UserPromptSubmit", prompt=text)

    def tool(self, call: str, name: str, given: Mapping[str, object], response: object, text: str) -> BothForms:
        """A call that succeeds: `response` is the structured result, `text` what the model sees of it."""
        self.transcript.calls(call, name, **given).returns(call, text, response)
        use = {"tool_name": name, "tool_input": given, "tool_use_id": call}
        self.hook("PreToolUse", **use).hook("PostToolUse", **use, tool_response=response)
        return self.hook("PostToolBatch", tool_calls=[{**use, "tool_response": text}])

    def failure(self, call: str, name: str, given: Mapping[str, object], error: str) -> BothForms:
        """A call that fails."""
        self.transcript.calls(call, name, **given).returns(call, error, f"Error: {error}", error=True)
        use = {"tool_name": name, "tool_input": given, "tool_use_id": call}
        self.hook("PreToolUse", **use).hook("PostToolUseFailure", **use, error=error, is_interrupt=False)
        return self.hook("PostToolBatch", tool_calls=[{**use, "tool_response": error}])

    def missing(self, call: str, name: str) -> BothForms:
        """A call of a tool that does not exist."""
        error = f"<tool_use_error>Error: No such tool available: {name}.</tool_use_error>"
        self.transcript.calls(call, name).returns(call, error, f"Error: {error}", error=True)
        given = {"tool_name": name, "tool_input": {}, "tool_use_id": call, "tool_response": error}
        return self.hook("PostToolBatch", tool_calls=[given])

    def reads(self, call: str, path: str, lines: list[str]) -> BothForms:
        """The agent reads a whole file."""
        text = "".join(f"{line}\n" for line in lines)
        count = len(lines) + 1
        file = {"filePath": path, "content": text, "numLines": count, "startLine": 1, "totalLines": count}
        return self.tool(call, "Read", {"file_path": path}, {"type": "text", "file": file}, text)

    def edits(self, call: str, path: str, old: str, new: str) -> BothForms:
        """The agent replaces the first line of a file."""
        patch = [{"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": [f"-{old}", f"+{new}"]}]
        given = {"file_path": path, "old_string": old, "new_string": new}
        response = {"filePath": path, "oldString": old, "newString": new, "structuredPatch": patch}
        return self.tool(call, "Edit", given, response, f"The file {path} has been updated successfully.")

    def runs(self, call: str, command: str, output: str = "ok") -> BothForms:
        """The agent runs a command that succeeds."""
        response = {"stdout": output, "stderr": "", "interrupted": False}
        return self.tool(call, "Bash", {"command": command}, response, output)

    def stops(self, text: str) -> BothForms:
        """The agent gives its answer."""
        self.transcript.says(text)
        line = json.loads(self.transcript.lines[-1])
        line["message"]["stop_reason"] = "end_turn"
        self.transcript.lines[-1] = json.dumps(line)
        return self.hook("Stop", stop_hook_active=False, last_assistant_message=text)

    def write_hooks(self, path: Path) -> Path:
        """Write the payloads, one a line."""
        path.write_text("".join(json.dumps(payload) + "\n" for payload in self.payloads), encoding="utf-8")
        return path


def a_session() -> BothForms:
    """Reads, edits, a failing and a passing run of the tests, a tool that does not exist, a task."""
    forms = BothForms().prompt("Change x to 2 in a.py and run the tests")
    forms.reads("toolu_1", f"{ROOT}/a.py", ["x = 1", "y = 2"])
    forms.edits("toolu_2", f"{ROOT}/a.py", "x = 1", "x = 2")
    forms.failure("toolu_3", "Bash", {"command": "pytest -q"}, "Exit code 1\n1 failed in 0.1s")
    forms.missing("toolu_4", "Glob")
    created = {"task": {"id": "1", "subject": "fix it"}}
    given = {"subject": "fix it", "description": "so that it passes"}
    forms.tool("toolu_5", "TaskCreate", given, created, "Task #1 created successfully: fix it")
    forms.edits("toolu_6", f"{ROOT}/a.py", "x = 2", "x = 3")
    forms.runs("toolu_7", "pytest -q", "3 passed in 0.1s")
    return forms.stops("All tests pass.")
