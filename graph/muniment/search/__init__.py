"""Text search: where words or phrases were said, run, printed, decided or claimed, or stand in a file now."""
