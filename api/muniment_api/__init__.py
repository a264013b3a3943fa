"""Muniment's interfaces: the command line, and what it shares with the interfaces to come."""

from __future__ import annotations
