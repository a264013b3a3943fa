"""Evidence: what a view shows beside what binds.

In turns: a little of the newest text of files (each with half of its room at most), of the newest steps and of failures
that stand, so that none of them is ever missing; then whatever covers most of the names that are likely to be used
next, for its cost (`covering`); then the index of what is not shown. What is left goes to files and steps again, newest
first, and to more of the outputs that were cut. Each thing is counted once, when its turn comes; a few misses in a row
end a turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from msgspec.structs import replace

from muniment.model.nodes import AnyNode, Message, Receipt, Text
from muniment.selection.choosing import covering, pieces_of
from muniment.selection.draft import Draft, Kept
from muniment.selection.excerpts import Chunk, Doubts, Shelf
from muniment.selection.focus import Focus
from muniment.selection.head import NO_HEAD, Head
from muniment.selection.index import command_lines, file_lines, hidden_runs
from muniment.selection.pieces import BUDGET, SHORTENED, Desk, Piece, characters_of, omission, runs_of, size_of
from muniment.selection.steps import Happening, has_body, shown_above, step_piece, steps_of
from muniment.selection.view import HISTORY, Omitted

Lacking = tuple[AnyNode, Callable[[], Omitted]]
"""Something of which a view lacks text, and what makes the note of it: most are never made."""

SMALLEST_ROOM = 16
"""Tokens below which looking for something that fits is not worth it."""
MISSES = 6
TOKENS_A_LINE = 10
"""About what a line costs that was not counted."""

_FILES_SHARE = (1, 10)
_FILE_SHARE = 2
_STEPS_SHARE = (1, 20)
_FAILURES_SHARE = (1, 20)
_INDEX_SHARE = (3, 100)
_BODY_SHARE = 8
_BODY_TOKENS = (48, 144)
"""Fewest and most tokens of an output at first; the newest steps and failures get twice as many."""
_LARGER = (4, 16)
# Compared on recorded sessions by what the next action used: any share of files and steps from 5 to 15 % of the room is
# within a point, 30 % each costs 2 points, none for files 1; short outputs of many steps serve better than long ones of
# few (144 tokens instead of 400: 2 to 3 points). The index is there for what it points to: 5 % would cost 0.8 points.


class Evidence:
    """The choice for one view. `room` is in tokens."""

    def __init__(self, desk: Desk, focus: Focus, room: int, bound: Sequence[Piece] = (), head: Head = NO_HEAD) -> None:
        """Begin; the view shows `bound` and `head` beside."""
        self._desk = desk
        self._above = (*bound, *head.pieces)
        self._left = max(room, 0)
        self._room = self._left
        self._steps = steps_of(desk, focus, head.steps)
        near = desk.live.worked_on([task.id for task in focus.tasks])
        files = sorted(desk.live.files(), key=lambda f: (f.id not in near, -desk.live.touched(f.id), f.path, f.id))
        doubts = Doubts(desk)
        self._shelves = [
            Shelf(desk, file, doubts.of(file.id), near=file.id in near, head=head.lines.get(file.id, ()))
            for file in files
        ]
        self._index: list[Piece] = []
        self._shown: dict[str, Piece] = {}
        self._log: list[tuple[Shelf, Chunk] | Piece] = []

    def fill(self) -> None:
        """Choose until the room is full; in a slice, until nothing is left that the task needs."""
        files = _part(self._room, _FILES_SHARE)
        self._take_files(files, files // _FILE_SHARE)
        self._take_steps(self._steps.best, _part(self._room, _STEPS_SHARE))
        self._take_steps(self._steps.failures, _part(self._room, _FAILURES_SHARE))
        index = _part(self._room, _INDEX_SHARE)
        self._take_covering(index)
        self._take_index(index)
        self._take_files(self._left, self._left)
        if self._desk.narrow:
            return
        self._take_steps(self._steps.best, self._left)
        for times in _LARGER:
            self._enlarge(times)
        self._complete_head()

    def drafted(self) -> Draft:
        """Choose what covers most, for a head."""
        files = _part(self._room, _FILES_SHARE)
        self._take_files(files, files // _FILE_SHARE)
        self._take_covering(0)
        used = [shelf for shelf in self._shelves if shelf.chosen()]
        used.sort(key=lambda shelf: (self._desk.live.touched(shelf.file.id), shelf.path, shelf.file.id))
        steps = sorted(self._shown.values(), key=lambda piece: (piece.node.ordinal, piece.node.id))
        return Draft(
            tuple(
                Kept(shelf.file, shelf.state, tuple(shelf.chosen()), tuple(map(shelf.chosen_for, shelf.chosen())))
                for shelf in used
            ),
            tuple(replace(piece, section="earlier", role=HISTORY) for piece in steps),
            {piece.node.id: piece.text for piece in self._above},
        )

    def drop(self, tokens: int) -> bool:
        """Give up what was chosen last, until so many tokens are saved; False where nothing is left to give up."""
        if not self._log:
            return False
        while tokens > 0 and self._log:
            last = self._log.pop()
            if isinstance(last, Piece):
                tokens -= last.tokens
                self._shown.pop(last.node.id, None)
                self._index = [piece for piece in self._index if piece is not last]
            else:
                shelf, chunk = last
                tokens -= chunk.cost(self._desk)
                shelf.put_back(chunk)
        return True

    def pieces(self) -> list[Piece]:
        """Return all that is shown: what stands above; files in order of path and line; steps in order of time."""
        shelves = sorted(self._shelves, key=lambda shelf: (shelf.path, shelf.file.id))
        text = [piece for shelf in shelves for piece in shelf.pieces()]
        steps = sorted(self._shown.values(), key=lambda piece: (piece.section, piece.node.ordinal, piece.node.id))
        index = sorted(self._index, key=lambda piece: (piece.path or "", piece.node.ordinal, piece.node.id))
        return [*self._above, *index, *text, *steps]

    def tokens_of(self, text: str) -> int:
        """Return what a text costs."""
        return self._desk.counter.count(text)

    def omitted(self) -> Iterable[Lacking]:
        """Yield what is not, or not wholly, shown."""
        for shelf in self._shelves:
            if shelf.hidden:
                yield shelf.file, partial(_hidden, shelf, shelf.hidden)
        for node in self._steps.best:
            piece = self._shown.get(node.id)
            text = node.output if isinstance(node, Receipt) else node.text
            if piece is not None and piece.left_out:
                yield node, partial(_cut, node, SHORTENED, piece.left_out, text)
            elif piece is None and has_body(node):
                yield node, partial(_cut, node, BUDGET, size_of(text), text)

    def _take_files(self, room: int, a_file: int) -> None:
        """Choose chunks, file by file, within `room` tokens and `a_file` tokens for each."""
        room = min(room, self._left)
        misses = 0
        for shelf in self._shelves:
            if room < SMALLEST_ROOM or misses >= MISSES:
                return
            if shelf.hidden:
                spent = self._take_file(shelf, min(room, a_file))
                room -= spent
                misses = 0 if spent else misses + 1

    def _take_file(self, shelf: Shelf, room: int) -> int:
        spent = misses = 0
        for chunk in shelf.waiting():
            if room - spent < SMALLEST_ROOM or misses >= MISSES:
                break
            cost = shelf.cost(chunk)
            if cost > room - spent:
                misses += 1
                continue
            shelf.choose(chunk)
            self._log.append((shelf, chunk))
            self._left -= cost
            spent += cost
        return spent

    def _take_steps(self, nodes: Iterable[Happening], room: int) -> None:
        already = self._already_shown()
        misses = 0
        for node in nodes:
            if node.id in self._shown:
                continue
            if room < SMALLEST_ROOM or misses >= MISSES:
                return
            piece = self._step(node, room, already)
            if piece is None:
                misses += 1
            else:
                room -= piece.tokens
                self._show(piece)

    def _step(self, node: Happening, room: int, already: dict[str, int]) -> Piece | None:
        """Return a step as large as it may be, or its heading, or None where that does not fit either."""
        if isinstance(node, Receipt) and has_body(node) and _is_repeated(node, already):
            piece = shown_above(self._desk, self._steps, node)
            return piece if piece.tokens <= room else None
        most = self._allowed(node) if has_body(node) else 0
        for tokens in dict.fromkeys((most, most // 4, 0)):
            piece = step_piece(self._desk, self._steps, node, tokens)
            if piece.tokens <= room:
                return piece
        return None

    def _allowed(self, node: Happening) -> int:
        least, most = _BODY_TOKENS
        tokens = min(max(self._room // _BODY_SHARE // least * least, least), most)
        failed = isinstance(node, Receipt) and node.status == "failed"
        return tokens * 2 if failed or node.id in self._steps.newest else tokens

    def _take_covering(self, reserve: int) -> None:
        """Choose what covers most of what is likely to be used, leaving `reserve` tokens."""
        room = self._left - reserve
        chosen = covering(self._desk, self._steps, self._shelves, self._shown, self._above, room)
        for shelf, chunk in chosen.chunks:
            self._left -= chunk.cost(self._desk)
            self._log.append((shelf, chunk))
        for piece in pieces_of(self._desk, self._steps, chosen):
            self._show(piece)

    def _take_index(self, room: int) -> None:
        lines = [
            (room // 2, file_lines(self._desk, self._shelves)),
            (room, command_lines(self._desk, (n for n in self._steps.best if n.id not in self._shown))),
        ]
        spent = 0
        for limit, pieces in lines:
            for piece in pieces:
                if spent + piece.tokens > min(limit, self._left + spent):
                    break
                spent += piece.tokens
                self._left -= piece.tokens
                self._index.append(piece)
                self._log.append(piece)

    def _enlarge(self, times: int) -> None:
        """Show more of the outputs that were cut, newest first, where there is room."""
        for node in self._steps.best:
            if self._left < SMALLEST_ROOM * 4:
                return
            small = self._shown.get(node.id)
            if small is None or not small.left_out:
                continue
            tokens = min(self._allowed(node) * times, small.tokens + self._left)
            large = step_piece(self._desk, self._steps, node, tokens)
            large = replace(large, names=small.names, why=small.why)
            if small.tokens < large.tokens <= small.tokens + self._left:
                self._give_up(small)
                self._show(large)

    def _complete_head(self) -> None:
        """Show the steps of the head whole where there is room for all of them after all, as in a small mission.

        All or none: the head has to stay the same text while room comes and goes.
        """
        parts = [piece for piece in self._above if piece.section == "earlier" and piece.left_out and _may_grow(piece)]
        room = self._left - SMALLEST_ROOM - sum(piece.left_out for piece in parts)
        if not parts or room <= 0:
            return
        whole = {piece.node.id: self._whole(piece) for piece in parts}
        more = sum(piece.tokens for piece in whole.values()) - sum(piece.tokens for piece in parts)
        if more <= self._left - SMALLEST_ROOM and not any(piece.left_out for piece in whole.values()):
            self._above = tuple(p if p.section != "earlier" else whole.get(p.node.id, p) for p in self._above)
            self._left -= more

    def _whole(self, small: Piece) -> Piece:
        assert isinstance(small.node, Receipt | Message)
        large = step_piece(self._desk, self._steps, small.node, small.tokens + self._left)
        return replace(large, section="earlier", role=HISTORY, names=small.names, why=small.why)

    def _give_up(self, piece: Piece) -> None:
        self._left += piece.tokens
        self._log = [entry for entry in self._log if entry is not piece]

    def _show(self, piece: Piece) -> None:
        for line in [line for line in self._index if line.node.id == piece.node.id]:
            self._index.remove(line)
            self._give_up(line)
        self._left -= piece.tokens
        self._shown[piece.node.id] = piece
        self._log.append(piece)

    def _already_shown(self) -> dict[str, int]:
        shown: dict[str, int] = {}
        for shelf in self._shelves:
            for receipt, characters in shelf.shown_of().items():
                shown[receipt] = shown.get(receipt, 0) + characters
        return shown


def _hidden(shelf: Shelf, lines: int) -> Omitted:
    return omission(shelf.file, BUDGET, lines * TOKENS_A_LINE, path=shelf.file.path, lines=hidden_runs(shelf))


def _cut(node: Happening, reason: str, tokens: int, text: Text | None) -> Omitted:
    return omission(node, reason, tokens, lines=runs_of(text))


def _may_grow(piece: Piece) -> bool:
    node = piece.node
    return isinstance(node, Receipt) or (isinstance(node, Message) and node.by != "user")


def _part(room: int, share: tuple[int, int]) -> int:
    many, of = share
    return room * many // of


def _is_repeated(receipt: Receipt, already: dict[str, int]) -> bool:
    """Tell whether four fifths or more of what a step printed stand in the view as current text."""
    return receipt.id in already and already[receipt.id] * 5 >= characters_of(receipt.output) * 4
