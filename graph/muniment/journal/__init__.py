"""The journal: what came in, append-only, hash-chained and durable, with its payloads."""

from __future__ import annotations
