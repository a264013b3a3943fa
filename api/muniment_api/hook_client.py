"""The client of hooks: reads a payload on stdin, brings it to the store, writes the runtime's answer to stdout.

* Standard library only, and as little of it as will do: it runs several times for each tool call, and half of what a
  Python program takes to start are its imports. So a payload is not even parsed here: what the client knows is put in
  at its end, as text.
* Three ways, in this order: the server's socket in the store's folder; for the events whose answer needs the store,
  another process that opens it; else a file in the spool, which the server or the next command takes in.
* It fails open: whatever goes wrong, the runtime goes on, with exit status 0 and no answer. What went wrong is noted
  beside the spool and told by `muniment doctor`.
* A payload that was sent and not answered is spooled too; it has an id of its own, so it is kept once.
"""

from __future__ import annotations

import _socket
import importlib
import os
import sys
import time

TYPE_CHECKING = False  # typing would cost as much as all else that is loaded here
if TYPE_CHECKING:
    from typing import BinaryIO, TextIO

RUNTIMES = ("claude-code", "codex")
ANSWERED = {"SessionStart": 25.0, "Stop": 60.0, "TaskCompleted": 60.0, "PreCompact": 25.0}
"""Events that need the store at once, and the seconds that the answer may take; the runtime waits longer."""
RECORDING_SECONDS = 5.0
CONNECT_SECONDS = 0.5
FAULT_BYTES = 1 << 16
SOCKET_NAME = "serve.sock"
SOCKET_PATH_BYTES = 100
"""Longer paths of sockets are refused by the system, so the server makes none."""
SPOOL_NAME = "spool"
FAULTS_NAME = "faults.log"
USAGE = "usage: muniment hook claude-code|codex EVENT [--store FOLDER] [--strict] < payload"
DEFAULT_STORE = ".muniment"
STORE_VARIABLE = "MUNIMENT_STORE"


class HookError(Exception):
    """Something went wrong on the way to the store; the message is for `doctor`."""


def main() -> None:
    """Run the program; exit status 0 unless it is called wrongly."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Answer one hook; `arguments` are runtime, event and options."""
    given = _parsed(arguments)
    if given is None:
        sys.stderr.write(f"{USAGE}\n")
        return 1
    runtime, event, store, strict = given
    try:
        store = _found(store)
        line = _wrapped(_stream(sys.stdin).read(), event, strict=strict)
        answer = _answered(store, runtime, event, line)
        _say(answer)
    except (HookError, OSError, ValueError) as error:
        _note(store, runtime, event, str(error))
    return 0


def _stream(standard: TextIO | None) -> BinaryIO:
    """Return the bytes of a standard stream.

    Raises:
        HookError: the caller has closed it.
    """
    if standard is None:
        raise HookError("stdin or stdout is closed")
    return standard.buffer


def _say(answer: str) -> None:
    """Write an answer, in UTF-8 whatever the environment says."""
    if answer:
        stream = _stream(sys.stdout)
        stream.write(answer.encode("utf-8"))
        stream.flush()


def _parsed(arguments: list[str]) -> tuple[str, str, str, bool] | None:
    """Return runtime, event, store and whether claims are demanded; None where the call is wrong."""
    words, store, strict = [], os.environ.get(STORE_VARIABLE) or DEFAULT_STORE, False
    rest = iter(arguments)
    for word in rest:
        if word == "--store":
            store = next(rest, store)
        elif word == "--strict":
            strict = True
        else:
            words.append(word)
    if len(words) != 2 or words[0] not in RUNTIMES or words[1].startswith("-"):
        return None
    return words[0], words[1], store, strict


def _found(store: str) -> str:
    """Return the store's folder. A runtime calls hooks from wherever it works, so a relative one is looked for in the
    folders above too, up to that of the repository."""
    here = folder = os.getcwd()  # noqa: PTH109 (pathlib costs 5 ms)
    while not os.path.isdir(os.path.join(folder, store)):  # noqa: PTH112, PTH118
        above = os.path.dirname(folder)  # noqa: PTH120
        if above == folder:
            return os.path.join(here, store)  # noqa: PTH118
        if os.path.exists(os.path.join(folder, ".git")):  # noqa: PTH110, PTH118
            break
        folder = above
    return os.path.join(folder, store)  # noqa: PTH118


def _wrapped(raw: bytes, event: str, *, strict: bool) -> bytes:
    """Return the payload as one line, with what the client knows beside it."""
    payload = raw.strip()
    if payload[:1] != b"{" or payload[-1:] != b"}" or b'"session_id"' not in payload:
        raise HookError("the payload is no JSON object that names a session")
    seconds = time.time()
    clock = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{int(seconds * 1000) % 1000:03d}Z"
    named = "" if b'"hook_event_name"' in payload else f', "hook_event_name": "{event}"'
    more = ', "strict": true' if strict else ""
    beside = f'{named}, "muniment": {{"delivery": "{os.urandom(16).hex()}", "at": "{clock}"{more}}}}}'
    return payload[:-1].replace(b"\n", b" ").replace(b"\r", b" ") + beside.encode("ascii")


def _answered(store: str, runtime: str, event: str, line: bytes) -> str:
    """Bring the payload to the store, in one of the three ways, and return what is to be written."""
    try:
        return _posted(store, runtime, event, line)
    except (FileNotFoundError, ConnectionRefusedError):
        pass  # no server
    except (HookError, OSError, ValueError) as error:
        _spool(store, runtime, line)
        raise HookError(f"the server did not answer: {error}") from None
    if event not in ANSWERED:
        _spool(store, runtime, line)
        return ""
    try:
        return _opened(store, runtime, event, line)
    except (HookError, OSError, ValueError) as error:
        _spool(store, runtime, line)
        raise HookError(f"the store could not be asked: {error}") from None


def _posted(store: str, runtime: str, event: str, line: bytes) -> str:
    """Ask the server.

    Raises:
        FileNotFoundError, ConnectionRefusedError: there is none.
    """
    head = (
        f"POST /hooks/{runtime}/{event} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(line)}\r\nConnection: close\r\n\r\n"
    )
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_SECONDS)
        connection.connect(_address(store))
        connection.settimeout(ANSWERED.get(event, RECORDING_SECONDS))
        connection.sendall(head.encode("ascii") + line)
        pieces = []
        while piece := connection.recv(1 << 16):
            pieces.append(piece)
    finally:
        connection.close()
    return _body(b"".join(pieces))


def _address(store: str) -> str:
    """Return the path of the server's socket.

    Raises:
        FileNotFoundError: the path is longer than the system takes, so no server can be there.
    """
    path = f"{store}/{SOCKET_NAME}"
    if len(os.fsencode(path)) > SOCKET_PATH_BYTES:
        raise FileNotFoundError(path)
    return path


def _body(response: bytes) -> str:
    """Return what a response says.

    Raises:
        HookError: it is no good one, or not a whole one.
    """
    head, _, body = response.partition(b"\r\n\r\n")
    status = head.split(b" ", 2)[1:2]
    if status not in ([b"200"], [b"204"]):
        raise HookError(f"status {status[0].decode('ascii', 'replace') if status else 'unknown'}: {body[:200]!r}")
    if status == [b"200"] and f"\r\ncontent-length: {len(body)}\r\n".encode("ascii") not in head.lower() + b"\r\n":
        raise HookError(f"the answer broke off after {len(body)} bytes")
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        raise HookError("the answer is no UTF-8") from None
    return "" if text == "{}" else text


def _opened(store: str, runtime: str, event: str, line: bytes) -> str:
    """Ask another process, which opens the store itself."""
    fallback = importlib.import_module("muniment_api.hook_fallback")
    status, answer, said = fallback.ask(store, (runtime, event), line, ANSWERED[event])
    if status != 0:
        raise HookError(said)
    return "" if answer == "{}" else str(answer)


def _spool(store: str, runtime: str, line: bytes) -> None:
    """Put the payload into the spool: whole or not at all, readable by the owner alone, in order of arrival."""
    folder = f"{store}/{SPOOL_NAME}"
    os.makedirs(folder, mode=0o700, exist_ok=True)  # noqa: PTH103
    numbers = [name.partition("-")[0] for name in os.listdir(folder) if name.endswith(".ndjson")]  # noqa: PTH208
    last = max((int(number) for number in numbers if number.isdecimal()), default=0)  # what others write has a dot
    number = max(time.time_ns(), last + 1)
    name = f"{number:020d}-{os.getpid()}-{runtime}.ndjson"
    made = os.open(f"{folder}/.{name}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(made, "wb") as file:
            file.write(line + b"\n")
            file.flush()
            os.fsync(file.fileno())
        os.rename(f"{folder}/.{name}", f"{folder}/{name}")  # noqa: PTH104
    except OSError:
        os.unlink(f"{folder}/.{name}")  # noqa: PTH108
        raise


def _note(store: str, runtime: str, event: str, why: str) -> None:
    """Note that a hook gave no answer or recorded nothing, for `doctor`; not even this may fail."""
    sys.stderr.write(f"muniment: hook {runtime} {event}: {why}\n")
    line = "\t".join([str(int(time.time())), runtime, event, " ".join(why.split())[:300]]) + "\n"
    try:
        os.makedirs(f"{store}/{SPOOL_NAME}", mode=0o700, exist_ok=True)  # noqa: PTH103
        path = f"{store}/{SPOOL_NAME}/{FAULTS_NAME}"
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as file:
            if file.tell() < FAULT_BYTES:
                file.write(line.encode("utf-8", "replace"))
    except OSError:
        return


if __name__ == "__main__":
    main()
