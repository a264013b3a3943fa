"""Distillation: the lines of a large output that matter, found without a language model.

`distil` cuts an output into a page of lines as people would see them (`page`), finds the lines that say something
(`grammar`, `signs`), how far what they say reaches (`blocks`), and packs what is worth most into a budget of tokens
(`packing`). `narrowed` does the same with lines that were chosen before, for a smaller budget. All of it is pure,
deterministic, and linear in the length of the output.
"""

from muniment.derive.distil.distillation import PLACES, Distillation, Run, Span, distil, narrowed

__all__ = ["PLACES", "Distillation", "Run", "Span", "distil", "narrowed"]
