"""Shell lines cut into simple commands: the names that the rules of derivation use of `muniment.shell`."""

from __future__ import annotations

from muniment.shell.commands import simple_commands
from muniment.shell.prefixes import SHELLS, base_name, unwrapped
from muniment.shell.simple import Simple

__all__ = ["SHELLS", "Simple", "base_name", "simple_commands", "unwrapped"]
