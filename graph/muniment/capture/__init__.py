"""Capture: session files and streams become drafts of entries. Nothing is judged, nothing is thrown away."""

from __future__ import annotations
