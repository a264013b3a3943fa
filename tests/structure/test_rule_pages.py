"""The pages about rules are those of the rules, and their example is one that is understood."""

from __future__ import annotations

import re

from muniment.closeout.rules.registry import RULES
from muniment.closeout.rules.rulebook import rulebook, wishes_in
from tests.structure.rule_pages import FOLDER, pages


def test_each_rule_has_the_page_that_it_makes_and_there_are_no_others() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.md")}
    assert written == pages(), "run: python -m tests.structure.rule_pages"


def test_the_examples_on_the_pages_are_understood() -> None:
    for text in pages().values():
        for example in re.findall(r"```toml\n(.*?)```", text, re.DOTALL):
            assert rulebook(RULES, wishes_in(example, "page")).rules.rules
