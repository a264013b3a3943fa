"""Shell lines cut into simple commands; nothing is evaluated, nothing is run.

* Everything that the line may run is listed, in order: both branches of a condition, the body of a loop, and that of a
  function where it is called.
* `bash -lc '…'`, `eval '…'`, a here-document given to a shell, and what `trap` keeps, are the scripts inside them.
* What does not fit the grammar gives None: the caller must not guess.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from muniment.shell import blocks, statements
from muniment.shell.documents import BrokenDocumentError
from muniment.shell.scope import Scope
from muniment.shell.simple import Simple
from muniment.shell.walk import NotUnderstoodError, Walk

REMEMBERED = 256
"""Command lines whose parts are remembered: one line is asked for its effect, its runs and its counts in turn."""
_RULES: Final = {**statements.RULES, **blocks.RULES}


@lru_cache(maxsize=REMEMBERED)
def simple_commands(text: str, arguments: tuple[str, ...] | None = None) -> tuple[Simple, ...] | None:
    """Return the simple commands of a shell line in order, or None where the line is not understood.

    `arguments` are those of a script with this text, where they are known.
    """
    walk, scope = Walk(_RULES, statements.plain), Scope()
    if arguments is not None:
        scope.given(arguments)
    try:
        found = walk.script(text, scope)
        for script in walk.kept:
            found += walk.script(script, scope.copy())
    except (NotUnderstoodError, BrokenDocumentError, RecursionError):
        return None
    return tuple(found)
