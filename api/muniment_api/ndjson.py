"""`POST /entries`: neutral records, one JSON object a line.

* A line that is refused costs that line: the answer tells its number, a code and why; all others are durable.
* A line may be sent again: what is stored already counts as a duplicate.
* Of very many refused lines the first `LISTED` are told, the others counted in `refused_more`.
* `lines = stored + duplicates + refused + refused_more + blank`.
* The store is asked for some lines at a time: others are answered in between.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from muniment.errors import EvidenceError, FieldError, StoreError
from muniment.model.codec import parse_record
from muniment.model.records import Record
from muniment.store import EvidenceStore
from muniment_api.answering import error_response, plain_error
from muniment_api.service import Service

TYPES = ("application/x-ndjson", "application/jsonl", "application/json")
BATCH = 200
MOST_LINES = 500_000
LISTED = 1_000


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """A line that was not recorded; lines count from 1."""

    line: int
    code: str
    message: str


class Taken(msgspec.Struct, kw_only=True):
    """What became of the lines."""

    lines: int = 0
    stored: int = 0
    duplicates: int = 0
    blank: int = 0
    position: int = 0
    refused: list[Refused] = msgspec.field(default_factory=list)
    refused_more: int = 0

    def refuse(self, line: int, error: EvidenceError) -> None:
        """Note a line that was not recorded."""
        if len(self.refused) < LISTED:
            self.refused.append(Refused(line=line, code=error.code, message=str(error)))
        else:
            self.refused_more += 1


async def entries(request: Request) -> Response:
    """Record the lines of a body."""
    service: Service = request.app.state.service
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() not in TYPES:
        return plain_error(415, "media_type", f"send one of {', '.join(TYPES)}")
    try:
        context = service.context(request.scope, request.headers)
        body = await request.body()
        if (found := body.count(b"\n")) > MOST_LINES:
            return plain_error(413, "bad_request", f"at most {MOST_LINES} lines at once, found {found}")
        assert context.store is not None
        taken, taking = Taken(), take(context.store, body)
        while (more := await service.worker.run(next, taking, None)) is not None:
            taken = more
    except EvidenceError as error:
        return error_response(error)
    return JSONResponse(msgspec.to_builtins(taken))


def take(store: EvidenceStore, body: bytes) -> Iterator[Taken]:
    """Record the lines of a body, in order; yield now and then, so that others get their turn, what became of them.

    Raises:
        StoreError: the store cannot be written; sending all lines again is safe.
    """
    taken = Taken()
    waiting: list[tuple[int, Record]] = []
    for number, line in enumerate(_lines(body), start=1):
        if line.strip():
            taken.lines = number
            try:
                waiting.append((number, _parsed(line)))
            except FieldError as error:
                taken.refuse(number, error)
        if number % BATCH == 0:
            _record(store, waiting, taken)
            waiting = []
            yield taken
    _record(store, waiting, taken)
    refused = len(taken.refused) + taken.refused_more
    taken.blank = taken.lines - taken.stored - taken.duplicates - refused
    taken.refused.sort(key=lambda refused: refused.line)
    yield taken


def _lines(body: bytes) -> Iterator[bytes]:
    start = 0
    while (end := body.find(b"\n", start)) >= 0:
        yield body[start:end]
        start = end + 1
    yield body[start:]


def _record(store: EvidenceStore, records: list[tuple[int, Record]], taken: Taken) -> None:
    """Record some lines at once; where one of them is refused, each half by itself."""
    if not records:
        return
    try:
        done = store.record([record for _, record in records])
    except StoreError:
        raise
    except EvidenceError as error:
        if len(records) == 1:
            taken.refuse(records[0][0], error)
            return
        middle = len(records) // 2
        _record(store, records[:middle], taken)
        _record(store, records[middle:], taken)
        return
    taken.stored += done.stored
    taken.duplicates += done.duplicates
    taken.position = max(taken.position, int(done))


def _parsed(line: bytes) -> Record:
    try:
        value = msgspec.json.decode(line)
    except (ValueError, RecursionError) as error:
        raise FieldError("", f"no JSON: {error}") from None
    return parse_record(value)
