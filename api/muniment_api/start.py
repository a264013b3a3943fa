"""Where the program starts: hooks take the short way, which loads next to nothing; all else is the command line."""

from __future__ import annotations

import importlib
import sys

from muniment_api import hook_client

FULL = frozenset({"--in-process", "--help", "-h", "--json"})


def main() -> None:
    """Run the program."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["hook"] and not FULL.intersection(arguments):
        sys.exit(hook_client.run(arguments[1:]))
    importlib.import_module("muniment_api.cli").main()
