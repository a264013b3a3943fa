"""What commands change: one module per group of tools; `derive.effects` is the entry."""
