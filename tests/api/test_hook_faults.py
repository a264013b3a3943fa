"""Hooks under hostile circumstances: whatever goes wrong, the runtime goes on, and no payload is lost or in the way."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import httpx
import pytest

from muniment import EvidenceStore
from muniment.model.ids import mission_id
from muniment.model.nodes import Message
from muniment_api import spool
from muniment_api.hooks import LIMITS, answer
from tests.api.conftest import Ask
from tests.support.claude_lines import SESSION
from tests.support.hook_payloads import ROOT
from tests.support.hooking import BIN, hook, serving

MISSION = mission_id("claude-code", SESSION)
AT_ONCE = 24
PROMPT = {"session_id": SESSION, "cwd": ROOT, "hook_event_name": "UserPromptSubmit"}
START = {"session_id": SESSION, "cwd": ROOT, "hook_event_name": "SessionStart", "source": "startup"}


def prompts(store: Path) -> set[str]:
    with EvidenceStore.open(store) as opened:
        snapshot = opened.snapshot(MISSION)
        return {snapshot.text(message.text) for message in snapshot.of_kind(Message)}


def called(store: Path, payload: bytes, *, before: str = "", **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Call the client by way of a shell."""
    line = f"{before} '{BIN / 'muniment-hook'}' claude-code SessionStart --store '{store}'"
    surroundings = {**os.environ, **environment}
    return subprocess.run(["bash", "-c", line], input=payload, capture_output=True, env=surroundings, check=False)


@contextmanager
def answering(store: Path, response: bytes) -> Iterator[None]:
    """Be a server that answers one request with these bytes, and no more."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as server:
        server.bind(str(store / "serve.sock"))
        server.listen(1)

        def run() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(response)

        thread = Thread(target=run)
        thread.start()
        yield
        thread.join()
    (store / "serve.sock").unlink()


def test_hooks_at_once_without_a_server_lose_nothing(store: Path) -> None:
    command = [str(BIN / "muniment-hook"), "claude-code", "UserPromptSubmit", "--store", str(store)]
    hooks = [subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(AT_ONCE)]
    for number, process in enumerate(hooks):
        assert process.stdin is not None
        process.stdin.write(json.dumps({**PROMPT, "prompt": f"prompt {number}"}).encode())
        process.stdin.close()
    for process in hooks:
        with process:
            assert process.stderr is not None
            assert process.stderr.read() == b""
    assert len(spool.waiting(store)) == AT_ONCE
    with EvidenceStore.open(store) as opened:
        spool.drain(store, lambda _: opened)
    assert prompts(store) == {f"prompt {number}" for number in range(AT_ONCE)}


@pytest.mark.parametrize("name", [".00000000000000000001-1-claude-code.ndjson", "notes.ndjson", "-.ndjson"])
def test_other_files_in_the_spool_are_in_nobodys_way(store: Path, name: str) -> None:
    (store / "spool").mkdir()
    (store / "spool" / name).write_bytes(b"half a")
    hook(store, {**PROMPT, "prompt": "kept"})
    assert len(spool.waiting(store)) == 1
    with EvidenceStore.open(store) as opened:
        assert spool.drain(store, lambda _: opened) == 1
    assert prompts(store) == {"kept"}


def test_a_payload_that_no_parser_takes_stops_no_command(store: Path, ask: Ask) -> None:
    hook(store, b'{"session_id": "s", "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}")
    hook(store, {**PROMPT, "prompt": "kept"})
    checks = str(ask("doctor")["checks"])
    assert "1 payload set aside" in checks
    assert "taken in" in checks
    assert prompts(store) == {"kept"}


def test_a_file_of_the_spool_that_cannot_be_read_waits_and_stops_no_command(store: Path, ask: Ask) -> None:
    (store / "spool" / "00000000000000000001-1-claude-code.ndjson").mkdir(parents=True)
    hook(store, {**PROMPT, "prompt": "kept"})
    assert "1 payload still waiting" in str(ask("doctor")["checks"])
    assert prompts(store) == {"kept"}


@pytest.mark.parametrize("depth", [200, 900, 100_000])
def test_the_server_refuses_what_is_nested_too_deeply_and_goes_on(store: Path, depth: int) -> None:
    deep = json.dumps(PROMPT).encode()[:-1] + b', "x": ' + b"[" * depth + b"]" * depth + b"}"
    with serving(store):
        transport = httpx.HTTPTransport(uds=str(store / "serve.sock"))
        with httpx.Client(transport=transport, base_url="http://localhost") as client:
            refused = client.post("/hooks/claude-code/UserPromptSubmit", content=deep)
            assert refused.status_code == 400, refused.text
            assert refused.json()["errors"][0]["extensions"]["code"] == "bad_field"
        hook(store, {**PROMPT, "prompt": "kept"})
    assert "kept" in prompts(store)


@pytest.mark.parametrize(
    "response",
    [
        b'HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{"hookSpecificOutput": {"hookEv',
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xff\xff",
        b"",
        b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n",
    ],
)
def test_an_answer_that_broke_off_is_no_answer_and_the_payload_is_kept(store: Path, response: bytes) -> None:
    with answering(store, response):
        done = called(store, json.dumps(START).encode())
    assert (done.returncode, done.stdout) == (0, b"")
    assert len(spool.waiting(store)) == 1


def test_a_whole_answer_is_passed_on(store: Path) -> None:
    body = '{"systemMessage": "grüße"}'.encode()
    with answering(store, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)):
        done = called(store, json.dumps(START).encode(), PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stdout, done.stderr) == (0, body, b"")
    assert spool.waiting(store) == []


@pytest.mark.parametrize("before", ["exec <&-;", "exec >&-;", "mkdir gone; cd gone; rmdir ../gone;"])
def test_closed_streams_and_a_folder_that_is_gone_fail_open(
    store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = called(Path("relative") if "gone" in before else store, json.dumps(START).encode(), before=before)
    assert (done.returncode, done.stdout) == (0, b"")
    assert b"Traceback" not in done.stderr


def test_what_waited_is_in_the_first_answer_of_a_server_that_starts(store: Path) -> None:
    hook(store, {**PROMPT, "prompt": "said while nobody listened"})
    with serving(store) as (_, url):
        query = {"query": f'{{view(mission: "{MISSION}") {{text}}}}'}
        told = httpx.post(f"{url}/graphql", json=query, headers={"Muniment-Mission": MISSION}, trust_env=False)
        assert "said while nobody listened" in told.text
    assert spool.waiting(store) == []


@pytest.mark.parametrize("path", ["pipe", "/dev/zero", "nothing", ".", "nul\0", "half \ud800"])
def test_a_transcript_that_is_no_file_holds_nobody_up(tmp_path: Path, path: str) -> None:
    os.mkfifo(tmp_path / "pipe")
    payload = {"session_id": "s", "transcript_path": str(tmp_path / path), "last_assistant_message": "Done."}
    with EvidenceStore.open(tmp_path / "new", create=True) as opened:
        thread = Thread(target=answer, args=(opened, "codex", "Stop", payload), daemon=True)
        thread.start()
        thread.join(timeout=30)
        assert not thread.is_alive()
        assert opened.missions()[0].entries == 1


def test_a_view_fits_as_the_runtime_counts_characters(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "new", create=True) as opened:
        for number in range(13):
            answer(opened, "claude-code", "UserPromptSubmit", {**PROMPT, "prompt": f"{number} {'=' * 640}{'😀' * 90}"})
        told = answer(opened, "claude-code", "SessionStart", START)["hookSpecificOutput"]
    assert isinstance(told, dict)
    assert len(told["additionalContext"].encode("utf-16-le")) // 2 <= LIMITS["claude-code"].characters
