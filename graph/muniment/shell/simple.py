"""A simple command of a shell line: its words, and what stands around it."""

from __future__ import annotations

import msgspec


class Simple(msgspec.Struct, frozen=True, kw_only=True):
    """One simple command. `before` and `after` are the operators around it ("" at the ends; a line end is `;`).

    `words` have no quotes and no prefixes. `live` are the places of those with an expansion that is not known, which
    they have as written.
    `into` are the files that it redirects into (`mute`: its output is among what goes there), `source` those that it
    reads from; `fed_text` is the literal text of a here-document or here-string.
    `inner` are the scripts in its substitutions, `nested` their commands.
    `grouped`: inside parentheses, braces, a loop or a condition, where the operators around it do not tell whose status
    counts.
    `fed`: `xargs` gives it more words.
    `folder`: where a `cd` before it went (relative as written, or absolute; None: nowhere, "?": nobody knows).
    `apart`: the number of the job of the line that runs it in the background (from 1), 0 where the line waits for it.
    `strays`: where else it runs if that `cd` failed ("" is where the line began).
    """

    words: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    into: tuple[str, ...] = ()
    mute: bool = False
    inner: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    grouped: bool = False
    apart: int = 0
    fed: bool = False
    source: tuple[str, ...] = ()
    fed_text: str | None = None
    folder: str | None = None
    strays: tuple[str, ...] = ()
    live: tuple[int, ...] = ()
    nested: tuple[Simple, ...] = ()
