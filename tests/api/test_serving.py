"""`muniment serve` as a process: where it listens, that it is the only one, and how it ends."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import httpx
import pytest
from click.testing import CliRunner

from muniment.store import EvidenceStore
from muniment_api.cli import cli
from muniment_api.serving import SOCKET_NAME
from tests.api.service import Ask, closing, mission_ids, two_projects
from tests.support.server import running

P2 = {"muniment-project": "p2"}
FOLLOW = {"query": "subscription{records(after:0){position}}"}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return two_projects(tmp_path / "store")


def test_it_serves_both_places_and_ends_gracefully(store: Path) -> None:
    with running(store, "--engine", "memory") as server:
        for path in (None, server.socket):
            with closing(Ask(server.url, path, P2)) as ask:
                assert ask.data("{missions{project}}") == {"missions": [{"project": "p2"}]}
        assert server.socket is not None
        assert stat.S_IMODE(server.socket.stat().st_mode) == 0o600
        assert server.stop() == 0
        assert not server.socket.exists()
    for text in server.log.read_text().splitlines():
        assert json.loads(text)["event"] == "request"


@pytest.mark.parametrize("engine", ["kuzu", "ladybug"])
def test_answers_out_of_a_projection_are_those_out_of_memory(tmp_path: Path, store: Path, engine: str) -> None:
    query = """query($m:ID!){view(mission:$m){text items{id}} closeout(mission:$m){verdict claims{id}}
      timeline(mission:$m,last:3){nodes{id state text fields}} neighbourhood(id:"T2",hops:3){nodes{id} edges{kind}}
      missions{nodes(first:7){edges{cursor} pageInfo{endCursor hasNextPage} totalCount}}}"""
    shutil.copytree(store, tmp_path / "copy")
    answers = []
    for folder, name in ((store, "memory"), (tmp_path / "copy", engine)):
        with running(folder, "--engine", name) as server, closing(Ask(server.url, None, P2)) as ask:
            answers.append(ask.data(query, m=mission_ids(ask)[0]))
            assert server.stop() == 0
    assert answers[0] == answers[1]


def test_an_endless_subscription_does_not_hold_up_the_end(store: Path) -> None:
    with running(store) as server, closing(Ask(server.url, None, P2)) as ask:
        with ask.http.stream("POST", "/graphql", json=FOLLOW, headers={"accept": "text/event-stream"}) as events:
            lines = events.iter_lines()
            while not next(lines).startswith("data: {"):
                pass
            begun = time.monotonic()
            os.kill(server.pid, signal.SIGTERM)
            assert [text for text in lines if text.startswith("event: complete")]
        assert server.stop() == 0
        assert time.monotonic() - begun < 10


def test_a_second_server_is_told_who_the_first_is(store: Path) -> None:
    with running(store) as server:
        second = CliRunner().invoke(cli, ["--store", str(store), "serve", "--port", "0"])
        assert second.exit_code == 3
        assert str(server.pid) in second.stderr
        assert server.socket is not None
        with closing(Ask(server.url, server.socket, P2)) as ask:
            assert ask.data("{missions{project}}")


def test_the_program_asks_the_server_of_the_store_and_gets_the_same(store: Path) -> None:
    def told(*command: str) -> tuple[str, int]:
        done = CliRunner().invoke(cli, ["--store", str(store), *command])
        assert "does not answer" not in done.stderr
        return done.stdout, done.exit_code

    commands = [
        ["view", "--budget", "900"],
        ["view", "--json"],
        ["closeout"],
        ["closeout", "--json"],
        ["view", "nothing"],
    ]
    alone = [told(*command) for command in commands]
    with running(store, "--engine", "kuzu") as server:
        assert [told(*command) for command in commands] == alone
        assert server.stop() == 0
        assert server.log.read_text().count('"route": "/graphql"') == 4


def test_a_server_that_does_not_answer_is_in_nobodys_way(store: Path) -> None:
    alone = CliRunner().invoke(cli, ["--store", str(store), "view"])
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(store / SOCKET_NAME))
    done = subprocess.run(
        [sys.executable, "-m", "muniment_api", "--store", str(store), "view"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == (alone.stdout, alone.exit_code)
    assert "does not answer" in done.stderr


@pytest.mark.parametrize(
    "body",
    [
        *(b"<html>", b"[]", b"5", b"{}", b"[" * 100_000, b"", b"\xff\xfe"),
        *(b'{"data": {"view": {}}}', b'{"data": 5}', b'{"data": {"view": {"text": 1}}}', b'{"data": {"view": []}}'),
        *(b'{"errors": [5]}', b'{"errors": []}'),
    ],
)
def test_whatever_answers_in_the_place_of_the_server_the_store_is_asked(store: Path, body: bytes) -> None:
    alone = CliRunner().invoke(cli, ["--store", str(store), "view"])
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
    with socket.socket(socket.AF_UNIX) as impostor:
        impostor.bind(str(store / SOCKET_NAME))
        impostor.listen(1)

        def answered() -> None:
            connection, _ = impostor.accept()
            with connection:
                connection.recv(1 << 16)
                connection.sendall(head + body)

        thread = Thread(target=answered)
        thread.start()
        done = CliRunner().invoke(cli, ["--store", str(store), "view"])
        thread.join()
    assert (done.exit_code, done.stdout) == (alone.exit_code, alone.stdout)
    assert "does not answer" in done.stderr


def test_a_killed_server_leaves_nothing_in_the_way(store: Path) -> None:
    with running(store) as server, closing(Ask(server.url, server.socket, P2)) as ask:
        record = {"id": "acked", "kind": "message", "session": "session-2", "by": "agent", "text": "t"}
        query = "mutation($r:[JSON!]!){recordBatch(input:{records:$r}){object{stored}}}"
        assert ask.data(query, r=[record]) == {"recordBatch": {"object": {"stored": 1}}}
        server.process.kill()
        server.process.wait()
    assert (store / SOCKET_NAME).exists()
    with running(store) as server, closing(Ask(server.url, server.socket, P2)) as ask:
        assert ask.data('{node(id:"acked"){text}}') == {"node": {"text": "t"}}


@pytest.mark.parametrize("engine", ["memory", "kuzu"])
def test_what_other_processes_append_and_import_is_in_the_answers(store: Path, tmp_path: Path, engine: str) -> None:
    with running(store, "--engine", engine) as server, closing(Ask(server.url, None, P2)) as ask:
        assert ask.data('{node(id:"other"){text}}') == {"node": None}
        with EvidenceStore.open(store) as other:
            record = {"id": "other", "kind": "message", "session": "session-2", "by": "user", "text": "t"}
            other.record([record])
        assert ask.data('{node(id:"other"){text}}') == {"node": {"text": "t"}}
        lines = [{"id": f"n{i}", "kind": "message", "session": "new", "by": "agent", "text": "t"} for i in range(300)]
        (tmp_path / "new.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        program = [sys.executable, "-m", "muniment_api", "--store", str(store)]
        subprocess.run(
            [*program, "import", "--project", "p2", str(tmp_path / "new.jsonl")], check=True, capture_output=True
        )
        count = ask.data("{missions{session messages{totalCount}}}")["missions"]
        assert {"session": "new", "messages": {"totalCount": 300}} in count  # type: ignore[operator]
        assert server.stop() == 0


def test_off_loopback_nothing_is_bound_without_a_token(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for host in ("0.0.0.0", "::", "example.invalid"):
        refused = CliRunner().invoke(cli, ["--store", str(store), "serve", "--host", host, "--port", "0"])
        assert refused.exit_code == 2
        assert "--token-env" in refused.stderr
    monkeypatch.delenv("NO_SUCH_TOKEN", raising=False)
    unset = CliRunner().invoke(cli, ["--store", str(store), "serve", "--token-env", "NO_SUCH_TOKEN"])
    assert (unset.exit_code, "NO_SUCH_TOKEN" in unset.stderr) == (2, True)


@pytest.mark.parametrize(
    ("options", "secret"),
    [(["T="], "fine"), (["T"], "with blank"), (["T"], "line\n"), (["T"], "grüße"), (["T=p1", "T=p2"], "fine")],
)
def test_a_token_that_nobody_could_send_or_that_is_for_no_project_is_refused(
    store: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], secret: str
) -> None:
    monkeypatch.setenv("T", secret)
    named = [word for option in options for word in ("--token-env", option)]
    refused = CliRunner().invoke(cli, ["--store", str(store), "serve", "--port", "0", *named])
    assert refused.exit_code == 2, refused.output
    assert "token" in refused.stderr
    assert secret not in refused.stderr


def test_with_a_token_it_may_be_bound_off_loopback(store: Path) -> None:
    options = ("--host", "0.0.0.0", "--token-env", "ANY_TOKEN", "--token-env", "P2_TOKEN=p2")
    with running(store, *options, environment={"ANY_TOKEN": "a", "P2_TOKEN": "b"}) as server:
        url = re.sub(r"//[^:]*", "//127.0.0.1", server.url)
        query = {"query": "{missions{project}}"}
        assert httpx.post(f"{url}/graphql", json=query, headers=P2).status_code == 401
        found = httpx.post(f"{url}/graphql", json=query, headers={"authorization": "Bearer b"})
        assert found.json() == {"data": {"missions": [{"project": "p2"}]}}


def test_it_answers_under_the_name_of_this_machine_that_it_was_given(store: Path) -> None:
    with running(store, "--host", "127.0.0.2") as server, closing(Ask(server.url, None, P2)) as ask:
        assert "127.0.0.2" in server.url
        assert ask.data("{missions{project}}") == {"missions": [{"project": "p2"}]}


def test_a_port_that_is_taken_and_a_store_that_is_missing_are_told(store: Path, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        refused = CliRunner().invoke(cli, ["--store", str(store), "serve", "--port", port])
        assert (refused.exit_code, port in refused.stderr) == (3, True)
    missing = CliRunner().invoke(cli, ["--store", str(tmp_path / "none"), "serve", "--port", "0"])
    assert missing.exit_code == 3
    assert not (tmp_path / "none").exists()


def test_the_program_starts_without_loading_the_service() -> None:
    code = "import sys, muniment_api.cli; sys.exit('strawberry' in sys.modules or 'starlette' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
