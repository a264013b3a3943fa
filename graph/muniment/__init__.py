"""Muniment: a graph-backed evidence store for agent runtimes."""

from __future__ import annotations

__version__ = "0.1.0"
