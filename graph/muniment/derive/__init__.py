"""Derivation: from neutral records to nodes, edges and ledgers. Pure: a function of the records and of `text_of`."""

from __future__ import annotations
