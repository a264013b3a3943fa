"""The values that flow through Muniment: ids, entries, records, nodes, edges, and the codec that parses them."""

from __future__ import annotations
