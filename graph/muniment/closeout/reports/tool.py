"""Who made a report. The package's own `__version__` stands above the pure part; a test compares the two."""

from __future__ import annotations

from typing import Final

NAME: Final = "Muniment"
VERSION: Final = "0.1.0"
