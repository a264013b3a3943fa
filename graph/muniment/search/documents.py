"""What of a graph is searched: documents, one for each node that has words. Pure, over a snapshot.

* A document has a title (what was run, or the path) and a body (what was said, printed, or stands in the file).
* A file's body is its current text by the ledger, line for line: line 7 of the body is line 7 of the file. Lines that
  were not seen, or that only a withdrawn receipt showed, are empty, with the mark of a gap before them.
* What was purged has no words.
* Whether something has ended is told apart from its document, since that comes later.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import TypeVar

import msgspec

from muniment.derive.texts import split_lines
from muniment.model.edges import EdgeKind
from muniment.model.ledger import LedgerState
from muniment.model.nodes import (
    Agent,
    Claim,
    Decision,
    Excerpt,
    Fact,
    File,
    Message,
    Node,
    Question,
    Receipt,
    Task,
    Text,
    kind_of,
)
from muniment.payload_markers import PURGED_TEXT
from muniment.search.wording import GAP, searchable
from muniment.snapshot import Snapshot

N = TypeVar("N", bound=Node)

_SAID: tuple[type[Node], ...] = (Message, Fact, Task, Question, Claim, Decision)


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """The words of one node; `ordinal` is that of the words: a file's rises as it changes."""

    id: str
    handle: str
    kind: str
    record: str
    ordinal: int
    title: str
    body: str


def documents(snapshot: Snapshot, after: int, withdrawn: set[str]) -> Iterator[Document]:
    """Yield the documents that are new or other than they were as of ordinal `after`."""
    for kind in _SAID:
        for node in _newer(snapshot, kind, after):
            yield _document(node, "", _said(snapshot, node))
    for receipt in _newer(snapshot, Receipt, after):
        yield _document(receipt, _run(snapshot, receipt), _words(snapshot, receipt.output))
    receipts = {node for node in withdrawn if isinstance(snapshot.node(node), Receipt)}
    for file in snapshot.of_kind(File):
        changed = max(snapshot.touched(file.id), file.ordinal)
        ledger = snapshot.ledger(file.id) or LedgerState()
        if changed > after or _shown_by(snapshot, ledger, receipts):
            yield _document(file, searchable(file.path), current_lines(snapshot, ledger, receipts), changed)


def ended_nodes(snapshot: Snapshot) -> dict[str, str]:
    """Return the things that have ended: node → withdrawn or superseded."""
    ended = {
        node.id: how for kind in (Fact, Decision) for node in snapshot.of_kind(kind) if (how := snapshot.ended(node.id))
    }
    # It is always an agent, of whoever's behalf, that withdraws; their number does not follow the history.
    agents = snapshot.of_kind(Agent)
    withdrawals = (edge for agent in agents for edge in snapshot.edges_from(agent.id, {EdgeKind.WITHDRAWS}))
    return ended | {edge.target: "withdrawn" for edge in withdrawals}


def current_lines(snapshot: Snapshot, ledger: LedgerState, without: set[str]) -> str:
    """Return a file's current text, line for line, with gaps for what is not known or comes from receipts `without`."""
    out: list[str] = []
    for segment in ledger.segments:
        excerpt = snapshot.node(segment.excerpt)
        if not isinstance(excerpt, Excerpt) or excerpt.receipt in without:
            continue
        _fill(out, segment.start)
        lines = split_lines(searchable(snapshot.text(excerpt.text)))
        out += lines[segment.offset : segment.offset + segment.count]
    _fill(out, (ledger.total or 0) + 1)
    return "\n".join(out)


def _fill(out: list[str], upto: int) -> None:
    missing = upto - 1 - len(out)
    if missing > 0:
        out.append(GAP)
        out += [""] * (missing - 1)


def _shown_by(snapshot: Snapshot, ledger: LedgerState, receipts: set[str]) -> bool:
    """Tell whether current lines come from one of these receipts."""
    sources = (snapshot.node(segment.excerpt) for segment in ledger.segments) if receipts else ()
    return any(isinstance(source, Excerpt) and source.receipt in receipts for source in sources)


def _newer(snapshot: Snapshot, kind: type[N], after: int) -> list[N]:
    nodes = snapshot.of_kind(kind)
    return list(nodes[bisect_right(nodes, after, key=lambda node: node.ordinal) :])


def _said(snapshot: Snapshot, node: Node) -> str:
    if isinstance(node, Decision):
        rejected = [searchable(option) for option in node.rejected]
        return f"\n{GAP}\n".join([_words(snapshot, node.choice), _words(snapshot, node.reason), *rejected])
    text = getattr(node, "text", None)
    return _words(snapshot, text if isinstance(text, Text) else None)


def _run(snapshot: Snapshot, receipt: Receipt) -> str:
    what = _words(snapshot, receipt.command) or searchable(receipt.path or receipt.pattern or "")
    return f"{searchable(receipt.name or receipt.tool)} {what}".rstrip()


def _words(snapshot: Snapshot, text: Text | None) -> str:
    if text is None:
        return ""
    words = snapshot.text(text)
    return "" if text.digest is not None and words == PURGED_TEXT else searchable(words)


def _document(node: Node, title: str, body: str, ordinal: int | None = None) -> Document:
    return Document(
        id=node.id,
        handle=node.handle,
        kind=kind_of(node),
        record=node.record,
        ordinal=node.ordinal if ordinal is None else ordinal,
        title=title,
        body=body,
    )
