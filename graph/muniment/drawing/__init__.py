"""Drawing: SVG and HTML from plain values. Pure; everything is escaped, nothing is a script, sizes are bounded."""
