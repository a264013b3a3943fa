"""Selection: which context a task needs now, within a budget of tokens. Pure, over `LiveReads`."""

from __future__ import annotations

from muniment.selection.select import select
from muniment.selection.view import Omitted, View, ViewItem, ViewRequest

__all__ = ["Omitted", "View", "ViewItem", "ViewRequest", "select"]
