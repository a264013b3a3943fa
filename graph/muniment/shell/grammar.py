"""The grammar of bash: a text to a tree. The grammar is loaded at first use."""

from __future__ import annotations

from functools import cache

import tree_sitter_bash
from tree_sitter import Language, Node, Parser


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_bash.language()))


def tree_of(text: str) -> Node | None:
    """Return the root of a text's tree, or None where the grammar does not fit the text."""
    root = _parser().parse(text.encode("utf-8", "surrogatepass")).root_node
    return None if root.has_error else root


def text_of(node: Node) -> str:
    """Return the text of a node as it is written."""
    return (node.text or b"").decode("utf-8", "surrogatepass")


def nodes_of_type(node: Node, kind: str) -> list[Node]:
    """Return the outermost nodes of a type at or below a node."""
    return [node] if node.type == kind else [found for child in node.children for found in nodes_of_type(child, kind)]
