"""Rules: what a closeout looks at. `registry` is the list of those that come with Muniment.

`Rule`, `Inquiry` and `Noticed` are what rules of other distributions are made of (entry points `muniment.rules`).
"""

from muniment.closeout.rules.rule import Inquiry, Noticed, Rule

__all__ = ["Inquiry", "Noticed", "Rule"]
