"""The commands, one module each; a module offers its command as `COMMAND`."""

from __future__ import annotations
