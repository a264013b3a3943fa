"""Small Claude Code transcripts, written line by line: the root agent's and a child's."""

from __future__ import annotations

import json
from pathlib import Path

SESSION = "11111111-2222-4333-8444-555555555555"
CHILD = "a1b2c3d"


class Transcript:
    """Lines of one file; each call adds one."""

    def __init__(self, agent: str = "") -> None:
        self._agent = agent
        self.lines: list[str] = []

    def user(self, text: str) -> Transcript:
        """The user (or, in a child's file, its parent) says something."""
        return self._line("user", {"role": "user", "content": text})

    def says(self, text: str) -> Transcript:
        """The agent says something."""
        return self._assistant({"type": "text", "text": text})

    def calls(self, call: str, name: str, **given: object) -> Transcript:
        """The agent calls a tool."""
        return self._assistant({"type": "tool_use", "id": call, "name": name, "input": given})

    def returns(self, call: str, text: str, result: object = None, *, error: bool = False) -> Transcript:
        """A tool answers."""
        block: dict[str, object] = {"type": "tool_result", "tool_use_id": call, "content": text}
        if error:
            block["is_error"] = True
        more = {} if result is None else {"toolUseResult": result}
        return self._line("user", {"role": "user", "content": [block]}, **more)

    def reads(self, call: str, path: str, lines: list[str]) -> Transcript:
        """The agent reads a whole file; the runtime counts the empty line behind its last line end."""
        text = "".join(f"{line}\n" for line in lines)
        file = {
            "filePath": path,
            "content": text,
            "numLines": len(lines) + 1,
            "startLine": 1,
            "totalLines": len(lines) + 1,
        }
        self.calls(call, "Read", file_path=path)
        return self.returns(call, text, {"type": "text", "file": file})

    def runs(self, call: str, command: str, output: str = "ok") -> Transcript:
        """The agent runs a command that succeeds."""
        self.calls(call, "Bash", command=command)
        return self.returns(call, output, {"stdout": output, "stderr": "", "interrupted": False})

    def write(self, path: Path) -> Path:
        """Write the file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in self.lines), encoding="utf-8")
        return path

    def _assistant(self, block: dict[str, object]) -> Transcript:
        name = f"msg_{self._agent}{len(self.lines)}"
        return self._line("assistant", {"id": name, "role": "assistant", "model": "m", "content": [block]})

    def _line(self, kind: str, message: dict[str, object], **more: object) -> Transcript:
        number = len(self.lines)
        line: dict[str, object] = {
            "type": kind,
            "uuid": f"{number:08x}-0000-4000-8000-{(self._agent or 'root').encode().hex():>012.12}",
            "parentUuid": None,
            "isSidechain": bool(self._agent),
            "sessionId": SESSION,
            "cwd": "/w/project",
            "version": "2.1.39",
            "gitBranch": "main",
            "timestamp": f"2026-01-01T00:00:{number:02d}.000Z",
            "message": message,
            **more,
        }
        if self._agent:
            line["agentId"] = self._agent
        self.lines.append(json.dumps(line))
        return self
