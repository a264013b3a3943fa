"""Lines of a shell that print more than their commands do: traces, timings, what a trap says.

What else is printed stands among the lines of a file where a runtime keeps both in one text, so such a line tells
nothing for sure of what it shows.
"""

from __future__ import annotations

import re
from typing import Final

_LOUD: Final = re.compile(
    r"""(?:\A|[\n;&|({'"`]|\b(?:do|then|else)\b)\s*(?:
        set\s[^;&|\n]*?-(?:[a-zA-Z]*[xv]|o\s+(?:xtrace|verbose))
        |(?:ba|da|z|k)?sh\s+(?:-\S+\s+)*-\w*[xv]
        |(?:/usr/bin/)?time\s
        |trap\s
    )""",
    re.VERBOSE,
)


def is_loud(command: str) -> bool:
    """Tell whether a line may print something that none of its commands shows."""
    return _LOUD.search(command) is not None
