"""Rules that judge claims, by type of claim; `judge.RULES` is the list of types."""
