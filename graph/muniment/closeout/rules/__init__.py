"""Rules: what a closeout looks at; see `registry` for the list."""
