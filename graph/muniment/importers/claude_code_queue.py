"""Messages that are queued while the agent works (`queue-operation`), so that each is one message only.

* A queued text is said when it is queued. Where it comes again, as an ordinary line or as an attachment
  `queued_command`, that is the same message and gives none.
* `dequeue` and `remove` take it out of the queue and into the conversation; the line with the text follows or never
  comes. So a text that was taken out is waited for until the user's next other words only: an equal text typed
  later is a new message.
* `popAll` gives the texts back to the user, who may change them: they no longer apply (a withdrawal by the user).
  So does a `remove` that names another reason than that the agent took the text in.
"""

from __future__ import annotations

from typing import Final

from muniment.importers.claude_code_state import Queued, State
from muniment.importers.lenient import storable, string
from muniment.model.entries import JSON_OBJECT
from muniment.model.records import Record, Withdrawal

LONGEST: Final = 64


def enqueued(record: str, text: str, *, user: bool, state: State) -> None:
    """Remember a text that was queued and has been made the record `record`."""
    state.queued.append(Queued(record, _key(text), user))
    del state.queued[:-LONGEST]


def seen_before(text: str, *, user: bool, state: State) -> bool:
    """Tell whether this text of an ordinary line has been in the queue, and forget it there."""
    if not state.queued:
        return False
    key = _key(text)
    found = [place for place, queued in enumerate(state.queued) if queued.user == user and queued.text == key]
    if found:
        del state.queued[found[0]]
        return True
    waiting = [queued for queued in state.queued if queued.user]
    if user and len(waiting) > 1 and key == "\n".join(queued.text for queued in waiting):
        state.queued = [queued for queued in state.queued if not queued.user]
        return True
    if user:
        state.queued = [queued for queued in state.queued if not queued.left]
    return False


def taken_out(body: JSON_OBJECT, source: str, state: State) -> list[Record]:
    """Return what an operation other than `enqueue` makes: withdrawals by the user, or nothing."""
    operation, key = string(body, "operation"), _key(string(body, "content"))
    waiting = [queued for queued in state.queued if not queued.left]
    if operation == "popAll":
        gone = [queued for queued in waiting if queued.user]
        state.queued = [queued for queued in state.queued if queued not in gone]
        return [_withdrawn(source, number, queued) for number, queued in enumerate(gone)]
    named = [queued for queued in waiting if queued.text == key] if key else []
    chosen = next(iter(named or sorted(waiting, key=lambda queued: not queued.user)), None)
    if chosen is None:
        return []
    chosen.left = True
    if operation == "remove" and chosen.user and string(body, "reason") not in ("", "absorbed_mid_turn"):
        state.queued.remove(chosen)
        return [_withdrawn(source, 0, chosen)]
    return []


def _withdrawn(source: str, number: int, queued: Queued) -> Withdrawal:
    return Withdrawal(
        id=f"{source}:withdrawal:{number}", by="user", target=queued.record, text="taken back out of the queue"
    )


def _key(text: str) -> str:
    return str(storable(text.strip()))
