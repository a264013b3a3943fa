"""The sections of a packet: what each holds, as parts."""
