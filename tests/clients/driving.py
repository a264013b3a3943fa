"""Driving a real client offline: a scripted model on loopback, in a network namespace that has nothing else.

Needs `MUNIMENT_CLIENTS` (a folder in which npm installed the clients) and `MUNIMENT_TOOLS` (the folder of
`model_stub.py`); tests are skipped where one is missing, or where no namespace can be made.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from muniment import EvidenceStore
from muniment_api import installing

Step = list[dict[str, object]]
BIN = Path(sys.executable).parent
BINARIES = {
    "claude-code": "node_modules/@anthropic-ai/claude-code-*/claude",
    "codex": "node_modules/@openai/codex-*/vendor/*/**/codex",
}
PORT = 8798
SCRIPT = """
ip link set lo up
"$PYTHON" "$STUB" --port 8798 --steps "$STEPS" --log "$LOG" --input-tokens "$TOKENS" & stub=$!
for _ in $(seq 100); do (: > /dev/tcp/127.0.0.1/8798) 2> /dev/null && break; sleep 0.05; done
"$@" < /dev/null; status=$?
kill $stub
exit $status
"""
CONFIG = """
model = "gpt-5.6-sol"
model_provider = "stub"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false
model_auto_compact_token_limit = 5000
[analytics]
enabled = false
[features]
hooks = true
[model_providers.stub]
name = "stub"
base_url = "http://127.0.0.1:8798/v1"
wire_api = "responses"
supports_websockets = false
[projects."{project}"]
trust_level = "trusted"
"""


@dataclass
class Client:
    """One client with a project, an empty home and hooks that `muniment install` wrote."""

    runtime: str
    folder: Path
    binary: Path
    stub: Path
    requests: list[str] = field(default_factory=list)
    """What the model was given in the last run, one text a request."""

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def store(self) -> Path:
        return self.project / ".muniment"

    def prepare(self) -> None:
        """Make the project, a repository with a test that fails, and install the hooks."""
        (self.folder / "home").mkdir()
        self.project.mkdir()
        subprocess.run(["git", "init", "-q", str(self.project)], check=True)
        (self.project / "a.py").write_text("x = 1\n")
        (self.project / "test_a.py").write_text("from a import x\n\ndef test_x():\n    assert x == 2\n")
        (self.folder / "home/config.toml").write_text(CONFIG.format(project=self.project))
        subprocess.run([str(BIN / "muniment"), "install", self.runtime], cwd=self.project, check=True)
        assert (self.project / installing.FILES[self.runtime]).exists()

    def run(self, steps: list[Step], *words: str, tokens: int = 1500) -> None:
        """Let the client work: `steps` are what the model says, `words` go to the client."""
        (self.folder / "steps.json").write_text(json.dumps(steps))
        log = self.folder / "requests.jsonl"
        done = subprocess.run(
            ["unshare", "-n", "bash", "-c", SCRIPT, "client", *self._command(words)],
            env=self._environment(tokens, log),
            cwd=self.project,
            capture_output=True,
            timeout=150,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()[-2000:] + done.stdout.decode()[-2000:]
        self.requests = [_given(json.loads(line)["body"]) for line in log.read_text().splitlines()]

    def open(self) -> EvidenceStore:
        """Open the store, with what is in the spool."""
        subprocess.run([str(BIN / "muniment"), "missions"], cwd=self.project, check=True, capture_output=True)
        return EvidenceStore.open(self.store)

    def session(self) -> str:
        with self.open() as store:
            return store.missions()[-1].session

    def tool(self, kind: str, text: str = "") -> dict[str, object]:
        """Return a call as this client's model writes it."""
        path = str(self.project / "a.py")
        if self.runtime == "claude-code":
            edit = {"file_path": path, "old_string": "x = 1", "new_string": "x = 2"}
            calls: dict[str, dict[str, object]] = {
                "read": {"tool": "Read", "input": {"file_path": path}},
                "edit": {"tool": "Edit", "input": edit},
                "run": {"tool": "Bash", "input": {"command": text, "description": "run it"}},
            }
            return calls[kind]
        patch = "*** Begin Patch\n*** Update File: a.py\n@@\n-x = 1\n+x = 2\n*** End Patch\n"
        calls = {
            "read": {"tool": "exec_command", "input": {"cmd": "cat a.py"}},
            "edit": {"patch": patch},
            "run": {"tool": "exec_command", "input": {"cmd": text}},
        }
        return calls[kind]

    def _command(self, words: tuple[str, ...]) -> list[str]:
        if self.runtime == "claude-code":
            more = ["--output-format", "stream-json", "--verbose", "--model", "claude-sonnet-4-5"]
            return [str(self.binary), *words, *more, "--permission-mode", "bypassPermissions"]
        return [str(self.binary), "exec", "--json", "--dangerously-bypass-hook-trust", "-C", str(self.project), *words]

    def _environment(self, tokens: int, log: Path) -> dict[str, str]:
        home = str(self.folder / "home")
        return {
            "PATH": f"{BIN}:{os.environ['PATH']}",
            "HOME": home,
            "CODEX_HOME": home,
            "IS_SANDBOX": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "ANTHROPIC_BASE_URL": f"http://127.0.0.1:{PORT}",
            "ANTHROPIC_API_KEY": "dummy",
            "PYTHON": sys.executable,
            "STUB": str(self.stub),
            "STEPS": str(self.folder / "steps.json"),
            "LOG": str(log),
            "TOKENS": str(tokens),
        }


def found_client(runtime: str, folder: Path) -> Client:
    """Return a client, or skip the test."""
    clients, tools = os.environ.get("MUNIMENT_CLIENTS"), os.environ.get("MUNIMENT_TOOLS")
    if not clients or not tools:
        pytest.skip(
            "set MUNIMENT_CLIENTS to a folder with the npm packages and MUNIMENT_TOOLS to that of model_stub.py"
        )
    binaries = [path for path in Path(clients).glob(BINARIES[runtime]) if path.is_file()]
    if not binaries:
        pytest.skip(f"no client {runtime} in {clients}")
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-n", "true"], check=False).returncode != 0:
        pytest.skip("no network namespace can be made here")
    return Client(runtime=runtime, folder=folder, binary=binaries[0], stub=Path(tools) / "model_stub.py")


def _given(body: dict[str, object]) -> str:
    texts = body.get("messages") or body.get("input") or []
    return "\n".join(_texts(texts))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _texts(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner)
