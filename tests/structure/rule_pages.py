"""The pages about rules, made from the rules themselves.

python -m tests.structure.rule_pages     # writes them into graph/rules
"""

from __future__ import annotations

from pathlib import Path

from muniment.closeout.rules.pages import index, page
from muniment.closeout.rules.registry import RULES

FOLDER = Path(__file__).parents[2] / "graph" / "rules"


def pages() -> dict[str, str]:
    """Return the text of each page, by its file's name."""
    return {"README.md": index(RULES), **{f"{rule.id}.md": page(rule) for rule in RULES}}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    made = pages()
    for old in FOLDER.glob("*.md"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, encoding="utf-8")
