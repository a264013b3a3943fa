"""Which queries of other people may run: one statement that reads the graph, and nothing else.

* Refused before anything runs: statements that write, change the schema or the session, read or write files, load
  extensions, and several statements at once. The engine refuses writes once more, by a read-only transaction.
* Words inside strings, comments and quoted names do not count, nor do names of properties (`n.set`).
* Of the engine's functions only those that describe tables may be called.
"""

from __future__ import annotations

import re
from typing import Final

from muniment.errors import UsageError

_WRITING = (
    "alter attach begin checkpoint comment commit copy create delete detach drop export import insert install load "
    "merge remove rename rollback set truncate uninstall update upsert use"
)
_REFUSED: Final = frozenset(_WRITING.split(" "))
_CALLABLE: Final = frozenset({"db_version", "show_connection", "show_functions", "show_tables", "table_info"})
_OPENING: Final = frozenset({"call", "explain", "match", "optional", "profile", "return", "unwind", "with"})

_ASIDE = re.compile(
    r"""'(?:[^'\\]|\\.)*' | "(?:[^"\\]|\\.)*" | `[^`]*` | /\*.*?\*/ | //[^\n]*""", re.DOTALL | re.VERBOSE
)
_WORD = re.compile(r"(?<![.$\w])[A-Za-z_]\w*")
_CALL = re.compile(r"(?i)(?<![.$\w])call\s+(\w*)")


def check_readonly(query: str) -> str:
    """Return a query that only reads, as it may be given to the engine.

    Raises:
        UsageError: it is none; the message says why.
    """
    plain = _ASIDE.sub(" ", query).strip().rstrip(";").strip()
    if "'" in plain or '"' in plain or "`" in plain or "/*" in plain:
        raise UsageError("refused: a string, a quoted name or a comment is not closed")
    if ";" in plain:
        raise UsageError("refused: one statement at a time")
    words = [word.lower() for word in _WORD.findall(plain)]
    if not words or words[0] not in _OPENING:
        raise UsageError("refused: a query begins with MATCH, WITH, UNWIND, CALL or RETURN")
    writing = _REFUSED.intersection(words)
    if writing:
        raise UsageError(f"refused: {min(writing).upper()} does not only read the graph")
    called = {name.lower() for name in _CALL.findall(plain)} - _CALLABLE
    if called:
        raise UsageError(f"refused: CALL {min(called)}; there are {', '.join(sorted(_CALLABLE))}")
    return query.strip().rstrip(";")
