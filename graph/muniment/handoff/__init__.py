"""Packets: the state that crosses a context boundary, built, checked and accepted without a model.

`packet` says what one is; `build` makes it of a snapshot, `check` compares one with the graph, `accept` decides whether
it may open the next context.
"""
