"""The client: record, and ask for views and closeouts, from any program.

    with MunimentClient.connect("http://127.0.0.1:8765", project="pricelist") as client:
        client.record([{"kind": "message", "id": "m1", "session": "s1", "by": "agent", "text": "..."}])
        print(client.view(client.missions()[0].mission, budget=4000).text)

* `connect` speaks HTTP, `local` the socket in a store's folder; `client_direct.in_process` a store in this process.
* Answers are the core's values, and errors the core's errors: a program can move between store and server as it is.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from muniment.capture.importing import ImportReport
from muniment.closeout.reports.render import CloseoutReport
from muniment.closeout.verdict import Closeout
from muniment.handoff.acceptance import Acceptance, PacketInfo
from muniment.handoff.crossing import Forked
from muniment.handoff.packet import Checked, Packet
from muniment.handoff.thresholds import Advice
from muniment.journal.port import MissionInfo
from muniment.model.records import Record
from muniment.rehydration import Rehydrated
from muniment.results import Recorded
from muniment.search.hits import Hit
from muniment.selection.view import View
from muniment_api import client_calls as calls
from muniment_api import client_packets
from muniment_api.client_calls import PAGE, JournalEntry
from muniment_api.client_packets import Offered
from muniment_api.client_transports import Address, AsyncHttpSender, AsyncSender, HttpSender, Sender

HITS = 20
SOCKET_NAME = "serve.sock"
Records = Sequence[Record | Mapping[str, object]]


class MunimentClient:
    """A client that waits for each answer. One thread at a time."""

    def __init__(self, sender: Sender) -> None:
        """Speak through a sender; use `connect` or `local`."""
        self._sender = sender

    @classmethod
    def connect(
        cls, url: str, *, token: str | None = None, project: str | None = None, mission: str | None = None
    ) -> MunimentClient:
        """Return a client of the server at `url`, in the scope of a project or mission."""
        return cls(HttpSender(Address(url=url, token=token, project=project, mission=mission)))

    @classmethod
    def local(cls, store: str | Path, *, project: str | None = None, mission: str | None = None) -> MunimentClient:
        """Return a client of the server that serves the store in a folder of this machine."""
        return cls(HttpSender(Address(socket=Path(store) / SOCKET_NAME, project=project, mission=mission)))

    def record(self, records: Records, *, mission: str | None = None, expected: int | None = None) -> Recorded:
        """Record neutral records, all or none; they are durable when this returns."""
        return self._sender.send(calls.record(records, mission, expected))

    def view(self, mission: str, *, budget: int | None = None, emit: bool = False, **focus: str | int | None) -> View:
        """Return the context for the current task; `focus` may hold what `muniment.views.Asked` lists."""
        return self._sender.send(calls.view(mission, {"budget": budget, **focus}, emit=emit))

    def closeout(self, mission: str, *, task: str | None = None, as_of: int | None = None) -> Closeout:
        """Return which claims are proven, unproven or contradicted, and by what."""
        return self._sender.send(calls.closeout(mission, task, as_of))

    def closeout_report(
        self, mission: str, format: str, *, task: str | None = None, as_of: int | None = None
    ) -> CloseoutReport:
        """Return a closeout as a file: text, json, junit, github, sarif, intoto, prov or svg."""
        return self._sender.send(calls.closeout_report(mission, format, task, as_of))

    def node(self, id: str, *, mission: str | None = None, lines: tuple[int, int] | None = None) -> Rehydrated:
        """Return the whole thing that an id names, or some lines of it."""
        return self._sender.send(calls.node(id, mission, lines))

    def search(self, text: str, *, mission: str | None = None, limit: int = HITS, history: bool = False) -> list[Hit]:
        """Return what holds all the words and "phrases" of a text, best first."""
        return self._sender.send(calls.search(text, mission, limit, history=history))

    def missions(self) -> list[MissionInfo]:
        """Return the missions in sight, oldest first."""
        found = self._sender.send(calls.missions(None))
        page = found
        while len(page) == PAGE:
            page = self._sender.send(calls.missions(page[-1].mission))
            found = [*found, *page]
        return found

    def import_session(self, path: str, *, format: str | None = None, mission: str | None = None) -> ImportReport:
        """Import a session file or folder of the server's machine."""
        return self._sender.send(calls.import_session(path, format, mission))

    def withdraw(self, id: str, why: str, *, mission: str | None = None) -> str:
        """Take something out of force; return its state."""
        return self._sender.send(calls.withdraw(id, why, mission))

    def packet(self, mission: str, id: str | None = None, **wanted: str | int | None) -> Packet:
        """Return a stored packet, or one that is built now; `wanted` may hold what `EvidenceStore.packet` takes."""
        return self._sender.send(client_packets.packet(mission, {"id": id, **wanted}))

    def packets(self, mission: str) -> list[PacketInfo]:
        """Return the newest packets on record, oldest first."""
        return self._sender.send(client_packets.packets(mission))

    def check_packet(self, packet: Offered, *, mission: str, as_of: int | None = None) -> Checked:
        """Return what is wrong with a packet, or with a stored one by its id."""
        return self._sender.send(client_packets.check_packet(packet, mission, as_of))

    def propose_packet(self, packet: Packet | Mapping[str, object], *, mission: str) -> str:
        """Keep a packet, unchecked, and return its id."""
        return self._sender.send(client_packets.propose_packet(packet, mission))

    def accept_packet(self, packet: Offered, *, mission: str, view: str | None = None, reason: str = "") -> Acceptance:
        """Check a packet and put it in force if nothing is wrong; say why not, otherwise."""
        return self._sender.send(client_packets.accept_packet(packet, mission, view, reason))

    def fork_packet(self, id: str, *, session: str, mission: str) -> Forked:
        """Open another session of the same mission whose whole history is a packet."""
        return self._sender.send(client_packets.fork_packet(id, session, mission))

    def should_compact(
        self, model: str, tokens_in_use: int, task_kind: str | None = None, *, mission: str | None = None
    ) -> Advice:
        """Return whether a context should be compacted now, and why."""
        return self._sender.send(client_packets.should_compact(model, tokens_in_use, task_kind, mission))

    def subscribe(self, after: int = 0) -> Iterator[JournalEntry]:
        """Yield what is recorded behind a position, as it comes; ends when the server does."""
        return self._sender.follow(calls.records_after(after))

    def close(self) -> None:
        """Let go of the connection."""
        self._sender.close()

    def __enter__(self) -> MunimentClient:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncMunimentClient:
    """A client that awaits each answer; several calls may be under way."""

    def __init__(self, sender: AsyncSender) -> None:
        """Speak through a sender; use `connect` or `local`."""
        self._sender = sender

    @classmethod
    def connect(
        cls, url: str, *, token: str | None = None, project: str | None = None, mission: str | None = None
    ) -> AsyncMunimentClient:
        """Return a client of the server at `url`, in the scope of a project or mission."""
        return cls(AsyncHttpSender(Address(url=url, token=token, project=project, mission=mission)))

    @classmethod
    def local(cls, store: str | Path, *, project: str | None = None, mission: str | None = None) -> AsyncMunimentClient:
        """Return a client of the server that serves the store in a folder of this machine."""
        return cls(AsyncHttpSender(Address(socket=Path(store) / SOCKET_NAME, project=project, mission=mission)))

    async def record(self, records: Records, *, mission: str | None = None, expected: int | None = None) -> Recorded:
        """Record neutral records, all or none; they are durable when this returns."""
        return await self._sender.send(calls.record(records, mission, expected))

    async def view(
        self, mission: str, *, budget: int | None = None, emit: bool = False, **focus: str | int | None
    ) -> View:
        """Return the context for the current task; `focus` may hold what `muniment.views.Asked` lists."""
        return await self._sender.send(calls.view(mission, {"budget": budget, **focus}, emit=emit))

    async def closeout(self, mission: str, *, task: str | None = None, as_of: int | None = None) -> Closeout:
        """Return which claims are proven, unproven or contradicted, and by what."""
        return await self._sender.send(calls.closeout(mission, task, as_of))

    async def closeout_report(
        self, mission: str, format: str, *, task: str | None = None, as_of: int | None = None
    ) -> CloseoutReport:
        """Return a closeout as a file: text, json, junit, github, sarif, intoto, prov or svg."""
        return await self._sender.send(calls.closeout_report(mission, format, task, as_of))

    async def node(self, id: str, *, mission: str | None = None, lines: tuple[int, int] | None = None) -> Rehydrated:
        """Return the whole thing that an id names, or some lines of it."""
        return await self._sender.send(calls.node(id, mission, lines))

    async def search(
        self, text: str, *, mission: str | None = None, limit: int = HITS, history: bool = False
    ) -> list[Hit]:
        """Return what holds all the words and "phrases" of a text, best first."""
        return await self._sender.send(calls.search(text, mission, limit, history=history))

    async def missions(self) -> list[MissionInfo]:
        """Return the missions in sight, oldest first."""
        found = await self._sender.send(calls.missions(None))
        page = found
        while len(page) == PAGE:
            page = await self._sender.send(calls.missions(page[-1].mission))
            found = [*found, *page]
        return found

    async def import_session(self, path: str, *, format: str | None = None, mission: str | None = None) -> ImportReport:
        """Import a session file or folder of the server's machine."""
        return await self._sender.send(calls.import_session(path, format, mission))

    async def withdraw(self, id: str, why: str, *, mission: str | None = None) -> str:
        """Take something out of force; return its state."""
        return await self._sender.send(calls.withdraw(id, why, mission))

    async def packet(self, mission: str, id: str | None = None, **wanted: str | int | None) -> Packet:
        """Return a stored packet, or one that is built now; `wanted` may hold what `EvidenceStore.packet` takes."""
        return await self._sender.send(client_packets.packet(mission, {"id": id, **wanted}))

    async def packets(self, mission: str) -> list[PacketInfo]:
        """Return the newest packets on record, oldest first."""
        return await self._sender.send(client_packets.packets(mission))

    async def check_packet(self, packet: Offered, *, mission: str, as_of: int | None = None) -> Checked:
        """Return what is wrong with a packet, or with a stored one by its id."""
        return await self._sender.send(client_packets.check_packet(packet, mission, as_of))

    async def propose_packet(self, packet: Packet | Mapping[str, object], *, mission: str) -> str:
        """Keep a packet, unchecked, and return its id."""
        return await self._sender.send(client_packets.propose_packet(packet, mission))

    async def accept_packet(
        self, packet: Offered, *, mission: str, view: str | None = None, reason: str = ""
    ) -> Acceptance:
        """Check a packet and put it in force if nothing is wrong; say why not, otherwise."""
        return await self._sender.send(client_packets.accept_packet(packet, mission, view, reason))

    async def fork_packet(self, id: str, *, session: str, mission: str) -> Forked:
        """Open another session of the same mission whose whole history is a packet."""
        return await self._sender.send(client_packets.fork_packet(id, session, mission))

    async def should_compact(
        self, model: str, tokens_in_use: int, task_kind: str | None = None, *, mission: str | None = None
    ) -> Advice:
        """Return whether a context should be compacted now, and why."""
        return await self._sender.send(client_packets.should_compact(model, tokens_in_use, task_kind, mission))

    def subscribe(self, after: int = 0) -> AsyncIterator[JournalEntry]:
        """Yield what is recorded behind a position, as it comes; ends when the server does."""
        return self._sender.follow(calls.records_after(after))

    async def close(self) -> None:
        """Let go of the connection."""
        await self._sender.close()

    async def __aenter__(self) -> AsyncMunimentClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()
