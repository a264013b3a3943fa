"""The grammar of bash: a text to a tree. The grammar is loaded at first use."""

from __future__ import annotations

from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

REMEMBERED: Final = 16
"""Texts whose trees are remembered: one line is asked for its commands, its steps and its parts in turn."""


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


@lru_cache(maxsize=REMEMBERED)
def tree_of(text: str) -> Node | None:
    """Return the root of a text's tree, or None where the grammar does not fit the text.

    Behind the third command of a pipe the grammar takes a line end for a blank, so that the next line's words become
    operands; such a line end is read as the `;` that it is.
    """
    try:
        source = bytearray(text.encode())
    except UnicodeEncodeError:
        return None  # half characters, which the grammar cuts apart
    root = _parser().parse(bytes(source)).root_node
    while b"|" in source and b"\n" in source and not root.has_error:
        swallowed = _swallowed(root, source)
        if not swallowed:
            break
        for start, place in swallowed:
            source[start:place] = b" " * (place - start)
            source[place] = ord(";")
        root = _parser().parse(bytes(source)).root_node
    return None if root.has_error else root


def _swallowed(root: Node, source: bytearray) -> list[tuple[int, int]]:
    """Return the places of line ends that stand between two words of one command, each with the start of the comment
    or blanks before it.
    """
    found: list[tuple[int, int]] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += node.named_children
        if node.type == "command":
            for before, after in pairwise(node.children):
                gap = source[before.end_byte : after.start_byte]
                if b"\n" in gap and b"\\" not in gap:
                    start = before.start_byte if before.type == "comment" else before.end_byte
                    found.append((start, before.end_byte + gap.index(b"\n")))
    return found


def text_of(node: Node) -> str:
    """Return the text of a node as it is written."""
    return (node.text or b"").decode()


def nodes_of_type(node: Node, kind: str) -> list[Node]:
    """Return the outermost nodes of a type at or below a node."""
    return [node] if node.type == kind else [found for child in node.children for found in nodes_of_type(child, kind)]
