"""Small sessions of the formats that are documents or texts, made up for tests."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.session_records import Json

FILE = "def add(a, b):\n    return a - b\n"
SHOWN = (
    "Here's the result of running `cat -n` on /repo/calc.py:\n"
    "     1\tdef add(a, b):\n     2\t    return a - b\n     3\t\n"
)
EDITED = (
    "The file /repo/calc.py has been edited. Here's the result of running `cat -n` on a snippet of /repo/calc.py:\n"
    "     1\tdef add(a, b):\n     2\t    return a + b\nReview the changes."
)


def function_call(ident: str, name: str, **arguments: object) -> Json:
    """One call in a chat message."""
    return {"id": ident, "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}


def mini_swe_agent() -> Json:
    """A run that reads, fails, fixes and submits."""

    def step(number: int, command: str, text: str = "Next.") -> Json:
        response = {
            "id": f"resp-{number}",
            "model": "maker/m-1",
            "usage": {"prompt_tokens": 10, "completion_tokens": 2},
        }
        extra = {
            "actions": [{"command": command, "tool_call_id": f"c{number}"}],
            "response": response,
            "timestamp": number,
        }
        calls = [function_call(f"c{number}", "bash", command=command)]
        return {"role": "assistant", "content": text, "tool_calls": calls, "extra": extra}

    def seen(number: int, code: int, output: str) -> Json:
        text = f"<returncode>{code}</returncode>\n<output>\n{output}</output>"
        return {
            "role": "tool",
            "tool_call_id": f"c{number}",
            "content": text,
            "extra": {"returncode": code, "raw_output": output},
        }

    template = "<task>\n{{task}}\n</task>\n\n<rules>\nSubmit a patch.\n</rules>"
    config = {
        "agent": {"instance_template": template},
        "model": {"model_name": "maker/m-1"},
        "environment": {"cwd": "/repo"},
    }
    messages = [
        {"role": "system", "content": "You have a shell."},
        {"role": "user", "content": template.replace("{{task}}", "Fix add.")},
        step(1, "cat calc.py"),
        seen(1, 0, FILE),
        step(2, "pytest -q"),
        seen(2, 1, "1 failed\n"),
        step(3, "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && cat patch.txt", "Fixed."),
        {
            "role": "exit",
            "content": "diff",
            "extra": {"exit_status": "Submitted", "submission": "diff --git a/x b/x\n"},
        },
    ]
    return {
        "info": {"config": config, "mini_version": "2.2.7"},
        "messages": messages,
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": "calc-1",
    }


def swe_agent() -> Json:
    """A run that opens a file, edits it and submits; the second edit is refused by the linter."""
    window = "[File: /repo/calc.py (2 lines total)]\n1:def add(a, b):\n2:    return a {} b\n"
    state = {"open_file": "/repo/calc.py", "working_dir": "/repo"}

    def step(action: str, observation: str) -> Json:
        return {"action": action, "observation": observation, "thought": f"I do {action[:9]}", "state": state}

    prompt = "ISSUE:\nadd subtracts\n\nINSTRUCTIONS:\nNow, you're going to solve this issue on your own. Go."
    history = [
        {"role": "system", "content": "You use windows.", "message_type": "system_prompt"},
        {"role": "user", "content": "--- DEMONSTRATION ---", "is_demo": True},
        {"role": "user", "content": f"{prompt}\n(Open file: n/a)\n(Current directory: /repo)\nbash-$"},
        {"role": "assistant", "content": "I do open", "action": "open calc.py"},
    ]
    steps = [
        step("open calc.py", window.format("-")),
        step("edit 2:2\n    return a + b\nend_of_edit", "File updated. Please review.\n" + window.format("+")),
        step("edit 2:2\nreturn\nend_of_edit", "Your changes have NOT been applied.\n" + window.format("*")),
        step("python calc.py", "3\n"),
        step("submit", "diff --git a/calc.py b/calc.py\n"),
    ]
    info = {"exit_status": "submitted", "submission": "diff --git a/calc.py b/calc.py\n"}
    return {"environment": "main", "trajectory": steps, "history": history, "info": info}


def openhands_events() -> list[Json]:
    """The events of a conversation: a view, an edit, a shell command, a rejection, a condensation, the end."""

    def event(number: int, kind: str, source: str, **fields: object) -> Json:
        return {
            "kind": kind,
            "id": f"e{number}",
            "timestamp": f"2026-01-01T00:00:{number:02}",
            "source": source,
            **fields,
        }

    def action(number: int, tool: str, **given: object) -> Json:
        ids = {"tool_call_id": f"call{number}", "llm_response_id": f"resp{number}"}
        return event(number, "ActionEvent", "agent", thought=[], action=given, tool_name=tool, **ids)

    def answer(number: int, tool: str, **told: object) -> Json:
        ids = {"tool_call_id": f"call{number - 1}", "action_id": f"e{number - 1}"}
        return event(number, "ObservationEvent", "environment", tool_name=tool, observation=told, **ids)

    editor, path = "str_replace_editor", "/repo/calc.py"
    after = FILE.replace("-", "+")
    return [
        event(0, "SystemPromptEvent", "agent", system_prompt={"type": "text", "text": "You are an agent."}),
        event(
            1, "MessageEvent", "user", llm_message={"role": "user", "content": [{"type": "text", "text": "Fix add."}]}
        ),
        action(2, editor, command="view", path=path),
        answer(3, editor, command="view", output=SHOWN, path=path),
        action(4, editor, command="str_replace", path=path, old_str="a - b", new_str="a + b"),
        answer(5, editor, command="str_replace", output=EDITED, path=path, old_content=FILE, new_content=after),
        action(6, "execute_bash", command="pytest -q"),
        answer(7, "execute_bash", output="1 passed", metadata={"exit_code": 0, "working_dir": "/repo"}),
        event(8, "Condensation", "environment", forgotten_event_ids=["e2", "e3"], summary="Fixed.", summary_offset=2),
        action(9, "execute_bash", command="rm -r /"),
        event(10, "UserRejectObservation", "user", tool_call_id="call9", action_id="e9", rejection_reason="Never."),
        action(11, "finish", message="All tests pass."),
        answer(12, "finish", message="All tests pass."),
    ]


def openhands_folder(folder: Path) -> Path:
    """The same as files."""
    (folder / "events").mkdir(parents=True)
    tools = [{"name": "BashTool", "params": {"working_dir": "/repo"}}]
    agent = {"llm": {"model": "maker/m-1"}, "tools": tools}
    state = {"id": "conversation-1", "agent": agent, "workspace": {"working_dir": "/repo"}}
    (folder / "base_state.json").write_text(json.dumps(state), encoding="utf-8")
    for number, event in enumerate(openhands_events()):
        path = folder / "events" / f"event-{number:05}-{event['id']}.json"
        path.write_text(json.dumps(event), encoding="utf-8")
    return folder


def openhands_legacy() -> list[Json]:
    """An event list: a prompt, a command with its result, an edit, the answer."""

    def event(number: int, source: str, **fields: object) -> Json:
        return {"id": number, "timestamp": f"2025-01-01T00:00:{number:02}.5", "source": source, "message": "", **fields}

    def call(number: int) -> Json:
        response = {"id": f"r{number}", "model": "m-1", "usage": {"prompt_tokens": 9, "completion_tokens": 1}}
        return {"function_name": "execute_bash", "tool_call_id": f"t{number}", "model_response": response}

    edit = {"path": "/repo/a.py", "command": "create", "file_text": "x = 1\n", "thought": ""}
    made = {"path": "/repo/a.py", "prev_exist": False, "old_content": None, "new_content": "x = 1\n"}
    return [
        event(0, "agent", action="system", args={"content": "You are an agent."}),
        event(1, "user", action="message", args={"content": "Make a.py."}),
        event(2, "environment", observation="agent_state_changed", content="", extras={"agent_state": "running"}),
        event(3, "agent", action="run", args={"command": "ls", "thought": "Look."}, tool_call_metadata=call(3)),
        event(4, "agent", observation="run", content="", cause=3, extras={"metadata": {"exit_code": 0}}),
        event(5, "agent", action="edit", args=edit),
        event(6, "agent", observation="edit", content="File created successfully at: /repo/a.py", cause=5, extras=made),
        event(7, "agent", action="finish", args={"final_thought": "Made.", "thought": ""}),
    ]


def chat_messages() -> Json:
    """A log of completions: the chat, and the response to it."""
    messages = [
        {"role": "system", "content": [{"type": "text", "text": "You are an agent."}]},
        {"role": "user", "content": "Fix add."},
        {
            "role": "assistant",
            "content": "Look.",
            "tool_calls": [function_call("a1", "execute_bash", command="cat calc.py")],
        },
        {"role": "tool", "tool_call_id": "a1", "content": f"{FILE}[Command finished with exit code 0]"},
    ]
    response = {
        "model": "maker/m-1",
        "choices": [{"message": {"role": "assistant", "content": "It subtracts."}}],
        "usage": {"prompt_tokens": 30, "completion_tokens": 4},
    }
    return {"messages": messages, "response": response, "timestamp": 1733345658.1}


def opencode(*, finished: bool = True) -> Json:
    """An export: a prompt, and a message with a read, a patch and a command. Not `finished`: the command still runs."""

    def part(ident: str, kind: str, **fields: object) -> Json:
        return {"id": ident, "type": kind, "messageID": "msg_2", "sessionID": "ses_1", **fields}

    def tool(ident: str, name: str, given: Json, **state: object) -> Json:
        return part(
            f"prt_{ident}", "tool", tool=name, callID=ident, state={"status": "completed", "input": given, **state}
        )

    read = "<path>/repo/calc.py</path>\n<type>file</type>\n<content>\n1: def add(a, b):\n2:     return a - b\n\n"
    patch = "@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
    files = [{"filePath": "/repo/calc.py", "type": "update", "patch": patch}]
    end = {"metadata": {"exit": 0}, "output": "1 passed"} if finished else {"status": "running"}
    parts = [
        part("prt_1", "step-start"),
        part("prt_2", "text", text="I look."),
        tool("k1", "read", {"filePath": "/repo/calc.py"}, output=read + "(End of file - total 2 lines)\n</content>"),
        tool(
            "k2",
            "apply_patch",
            {"patchText": f"*** Begin Patch\n*** Update File: /repo/calc.py\n{patch}*** End Patch"},
            output="Success.",
            metadata={"files": files},
        ),
        tool("k3", "bash", {"command": "pytest -q", "workdir": "/repo"}, **end),
    ]
    time = {"created": 1_700_000_000_000, **({"completed": 1_700_000_001_000} if finished else {})}
    info = {"id": "msg_2", "role": "assistant", "modelID": "m-1", "time": time, "tokens": {"input": 5, "output": 2}}
    if finished:
        parts.append(part("prt_9", "text", text="Fixed."))
        info["finish"] = "stop"
    user = {
        "info": {"id": "msg_1", "role": "user", "time": {"created": 1_700_000_000_000}},
        "parts": [
            {"id": "prt_0", "type": "text", "text": "Fix add."},
            {"id": "prt_s", "type": "text", "text": "<files>", "synthetic": True},
        ],
    }
    session = {"id": "ses_1", "directory": "/repo", "version": "1.14.30"}
    return {"info": session, "messages": [user, {"info": info, "parts": parts}]}


def gemini_cli() -> Json:
    """A chat: a prompt, a write, a failed command, a read."""

    def tool(ident: str, name: str, output: str, **given: object) -> Json:
        result = [{"functionResponse": {"id": ident, "name": name, "response": {"output": output}}}]
        return {"id": ident, "name": name, "args": given, "result": result, "status": "success"}

    def message(number: int, kind: str, content: str, **fields: object) -> Json:
        return {
            "id": f"m{number}",
            "timestamp": f"2026-01-01T00:00:{number:02}Z",
            "type": kind,
            "content": content,
            **fields,
        }

    shell = "Command: make\nDirectory: (root)\nOutput: no rule\nError: (none)\nExit Code: 2\nSignal: 0"
    written = "Successfully created and wrote to new file: /repo/a.py."
    tokens = {"input": 9, "output": 3, "cached": 4, "thoughts": 1, "total": 13}
    write = tool("g1", "write_file", written, file_path="a.py", content="x = 1\n")
    return {
        "sessionId": "gem-1",
        "projectHash": "abc",
        "startTime": "2026-01-01T00:00:00Z",
        "messages": [
            message(1, "user", "Make a.py."),
            message(2, "gemini", "I make it.", toolCalls=[write], tokens=tokens, model="g-1"),
            message(3, "gemini", "", toolCalls=[tool("g2", "run_shell_command", shell, command="make")], model="g-1"),
            message(4, "info", "An update is there."),
            message(5, "gemini", "", toolCalls=[tool("g3", "read_file", "x = 1\n", file_path="a.py")], model="g-1"),
            message(6, "gemini", "Made.", model="g-1"),
        ],
    }


def copilot_cli() -> list[Json]:
    """An event log: a prompt, a view, a failing command, an edit, an answer to a question."""

    def event(number: int, kind: str, **data: object) -> Json:
        return {"type": kind, "id": f"ev{number}", "timestamp": f"2026-01-01T00:00:{number:02}Z", "data": data}

    def asks(number: int, ident: str, name: str, **given: object) -> Json:
        request = {"toolCallId": ident, "name": name, "arguments": given}
        return event(number, "assistant.message", messageId=f"am{number}", content="", toolRequests=[request])

    def done(number: int, ident: str, content: str, detail: str = "") -> Json:
        result = {"content": content, "detailedContent": detail}
        return event(number, "tool.execution_complete", toolCallId=ident, success=True, result=result)

    patch = "diff --git a/repo/a.py b/repo/a.py\n@@ -1,1 +1,1 @@\n-x = 1\n+x = 2\n"
    return [
        event(0, "session.start", sessionId="cop-1", copilotVersion="1.0", context={"cwd": "/repo", "branch": "main"}),
        event(1, "user.message", content="Set x to 2.", transformedContent="<now>…</now> Set x to 2."),
        asks(2, "p1", "view", path="/repo/a.py"),
        done(3, "p1", "1. x = 1\n2. ", "diff --git a/repo/a.py b/repo/a.py"),
        event(4, "hook.start", hookType="postToolUse"),
        asks(5, "p2", "bash", command="make"),
        done(6, "p2", "no rule\n<shellId: 0 completed with exit code 2>"),
        asks(7, "p3", "edit", path="/repo/a.py", old_str="x = 1", new_str="x = 2"),
        done(8, "p3", "File /repo/a.py updated with changes.", patch),
        asks(9, "p4", "ask_user", question="Commit?"),
        done(10, "p4", "User responded: Not yet."),
        event(11, "assistant.message", messageId="am11", content="Done.", toolRequests=[]),
    ]


AIDER = """
# aider chat started at 2026-01-01 10:00:00

> Aider v0.84.0~
> Model: maker/m-1 with diff edit format~
> Git working dir: /repo~

#### Fix add.~
#### Only that.~

Here it is:

calc.py
```python
<<<<<<< SEARCH
    return a - b
=======
    return a + b
>>>>>>> REPLACE
```

#### Not a prompt: no two spaces behind it

> Tokens: 1.5k sent, 20 received. Cost: $0.01 message, $0.01 session.~
> Applied edit to calc.py~
> Commit abc1234 fix: add adds~

#### /run pytest~

# aider chat started at 2026-01-02 10:00:00

#### And now?~
""".replace("~", "  ")  # the two spaces tell what the program wrote


def atif() -> Json:
    """A trajectory with a sub-agent, a failing command, and a claim."""

    def call(ident: str, name: str, **given: object) -> Json:
        return {"tool_call_id": ident, "function_name": name, "arguments": given}

    results = [
        {"source_call_id": "x1", "content": "1 failed", "extra": {"exit_code": 1}},
        {"source_call_id": "x2", "content": "dug", "subagent_trajectory_ref": [{"trajectory_id": "child-1"}]},
    ]
    calls = [call("x1", "bash", command="pytest -q"), call("x2", "task", prompt="dig")]
    child_steps = [
        {"step_id": 1, "source": "user", "message": "dig"},
        {
            "step_id": 2,
            "source": "agent",
            "message": "",
            "tool_calls": [call("y1", "Read", file_path="/repo/a.py")],
            "observation": {"results": [{"source_call_id": "y1", "content": "     1→x = 1"}]},
        },
    ]
    agent = {"name": "demo", "version": "1.0", "model_name": "m-1", "extra": {"cwd": "/repo"}}
    return {
        "schema_version": "ATIF-v1.8",
        "trajectory_id": "root-1",
        "agent": agent,
        "steps": [
            {"step_id": 1, "source": "system", "message": "You help."},
            {"step_id": 2, "source": "user", "message": "Fix add.", "is_copied_context": True},
            {"step_id": 3, "source": "user", "message": "Fix add."},
            {
                "step_id": 4,
                "source": "agent",
                "message": "I test.",
                "tool_calls": calls,
                "observation": {"results": results},
                "metrics": {"prompt_tokens": 100, "completion_tokens": 5, "cached_tokens": 60},
            },
            {"step_id": 5, "source": "agent", "message": "All tests pass.", "a_field_of_a_later_version": 1},
        ],
        "subagent_trajectories": [
            {"schema_version": "ATIF-v1.8", "trajectory_id": "child-1", "agent": agent, "steps": child_steps}
        ],
    }
