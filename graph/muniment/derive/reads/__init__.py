"""What shell commands read: a command line → streams of lines of files → which lines an output showed.

`script` takes a line apart, `evaluate` says what each command makes of its files and of what it is piped, `layout`
finds each stream again in what was printed, and `output` tells its lines. `derive.read_intents` and
`derive.shell_reads` are the entries.
"""
