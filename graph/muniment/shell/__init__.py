"""Shell lines: what a command line runs, by the grammar of bash; nothing is run, nothing of the machine is read."""
