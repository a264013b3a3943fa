"""How much a process's memory grew at its peak."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")
_KIB_PER_MIB = 1024


def resident_mib() -> float:
    """Return how much memory this process holds now; where that is not told, the most that it has held."""
    return _told("VmRSS")


def peak_mib() -> float:
    """Return the most memory that this process has held."""
    return _told("VmHWM")


def _told(name: str) -> float:
    if _STATUS.exists():
        match = re.search(rf"^{name}:\s+(\d+) kB", _STATUS.read_text("ascii"), re.MULTILINE)
        if match:
            return int(match[1]) / _KIB_PER_MIB
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (_KIB_PER_MIB * _KIB_PER_MIB if sys.platform == "darwin" else _KIB_PER_MIB)
