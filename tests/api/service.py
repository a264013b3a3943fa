"""What the tests of the service share: stores with two projects, a real server, and plain requests to it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from muniment.store import EvidenceStore
from muniment_api.access import Policy
from muniment_api.app import create_app
from muniment_api.schema.limits import Limits
from muniment_api.serving import Server, unix_socket

JSON = dict[str, object]
START_SECONDS = 10


def two_projects(folder: Path) -> Path:
    """Make a store with a mission in project p1 and one in p2; fact F1 is in p1, F2 in p2."""
    with EvidenceStore.open(folder, create=True) as store:
        for number in ("1", "2"):
            common = {"session": f"session-{number}"}
            store.record(
                [
                    {"id": f"o{number}", "kind": "session_opened", "project": f"p{number}", "by": "harness", **common},
                    {
                        "id": f"F{number}",
                        "kind": "fact_stated",
                        "class": "constraint",
                        "by": "user",
                        "text": f"marker-{number}",
                        **common,
                    },
                    {"id": f"T{number}", "kind": "task_stated", "by": "user", "text": "Fix rounding", **common},
                    {
                        "id": f"R{number}x",
                        "kind": "tool_returned",
                        "by": "tool",
                        "tool": "read",
                        "path": "shared/readme.md",
                        "content": f"hello {number}\n",
                        "task": f"T{number}",
                        **common,
                    },
                ]
            )
    return folder


class Ask:
    """Asks a server over TCP or its socket."""

    def __init__(self, url: str, uds: Path | None, headers: dict[str, str]) -> None:
        transport = httpx.HTTPTransport(uds=str(uds) if uds else None)
        self.http = httpx.Client(base_url=url, headers=headers, transport=transport, timeout=20, trust_env=False)
        self.url = url
        self.uds = uds

    def query(self, text: str, **variables: object) -> JSON:
        """Return the body of an answer."""
        found: JSON = self.http.post("/graphql", json={"query": text, "variables": variables}).json()
        return found

    def data(self, text: str, **variables: object) -> JSON:
        """Return the data of an answer that has no errors."""
        body = self.query(text, **variables)
        assert "errors" not in body, body
        data = body["data"]
        assert isinstance(data, dict)
        return data

    def code(self, text: str, **variables: object) -> str:
        """Return the code of the one error of an answer."""
        body = self.query(text, **variables)
        errors = body["errors"]
        assert isinstance(errors, list)
        return str(errors[0]["extensions"]["code"])


@contextmanager
def served(
    folder: Path,
    policy: Policy | None = None,
    *,
    open_store: Callable[[], EvidenceStore] | None = None,
    limits: Limits | None = None,
) -> Iterator[tuple[str, Path]]:
    """Run a real server on loopback and on the store's socket, in a thread; give its address and the socket's path."""
    app = create_app(open_store or (lambda: EvidenceStore.open(folder)), policy or Policy(), limits=limits or Limits())
    server = Server(app)
    with socket.create_server(("127.0.0.1", 0)) as tcp, unix_socket(folder) as local:
        assert local is not None
        sockets = [tcp, local]
        thread = threading.Thread(target=server.run, args=(sockets,))
        thread.start()
        try:
            _wait_until(lambda: server.started)
            yield f"http://127.0.0.1:{tcp.getsockname()[1]}", folder / "serve.sock"
        finally:
            server.stop()
            thread.join()


@contextmanager
def asking(
    folder: Path, policy: Policy | None = None, headers: dict[str, str] | None = None, *, owner: bool = False
) -> Iterator[Ask]:
    """Run a server and give somebody who asks it."""
    with served(folder, policy) as (url, uds), closing(Ask(url, uds if owner else None, headers or {})) as ask:
        yield ask


@contextmanager
def closing(ask: Ask) -> Iterator[Ask]:
    """Close the connections of who asks."""
    with ask.http:
        yield ask


def mission_ids(ask: Ask) -> Sequence[str]:
    """Return the ids of the missions in sight."""
    missions = ask.data("{missions{id}}")["missions"]
    assert isinstance(missions, list)
    return [mission["id"] for mission in missions]


def _wait_until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + START_SECONDS
    while not done():
        assert time.monotonic() < end, "the server did not start"
        time.sleep(0.01)
