"""The rules by which a packet is checked: one small function each, over what was proposed and the graph."""
