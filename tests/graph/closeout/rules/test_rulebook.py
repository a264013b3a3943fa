"""Settings for rules: what a TOML file may say, and errors that name the line, the key and what is allowed."""

from __future__ import annotations

import pytest

from muniment.closeout.rules.cypher import failed
from muniment.closeout.rules.registry import RULES
from muniment.closeout.rules.rulebook import Wishes, rulebook, wishes_in
from muniment.errors import UsageError

WHOLE = """
[other]
closeout = "is another program's"

[closeout]
select = ["work", "files"]
ignore = ["task-open"]
forbidden-paths = ["vendor/"]
required-commands = ["make lint"]

[closeout.severity]
unseen-overwrite = "error"
no-web = "note"

[[closeout.cypher]]
id = "no-web"
message = "{r.handle} went to the web"
query = "MATCH (r:Node) WHERE r.mission = $mission RETURN r.id, r.handle"
"""


def test_a_file_says_all_of_it() -> None:
    book = rulebook(RULES, wishes_in(WHOLE, "muniment.toml"))
    beside = {rule.id for rule in book.rules.rules if not rule.sound}
    assert "task-open" not in beside
    assert {"task-without-proof", "unseen-overwrite", "forbidden-path"} <= beside
    assert "known-loss" not in beside
    assert book.rules.options.forbidden_paths == ("vendor/",)
    assert book.rules.options.required_commands == ("make lint",)
    assert book.rules.severities["unseen-overwrite"] == "error"
    assert book.source == "muniment.toml"
    assert book.cypher == ()  # it was not selected


def test_a_query_is_a_rule_that_can_be_selected_and_has_the_severity_that_is_set() -> None:
    book = rulebook(RULES, wishes_in(WHOLE.replace('"work", "files"', '"work", "no-web"'), "x"))
    assert [(rule.id, rule.severity) for rule in book.cypher] == [("no-web", "note")]
    assert rulebook(RULES, wishes_in(WHOLE, "x").and_also(None, ["no-web"])).cypher == ()


def test_a_file_without_the_table_and_no_file_are_the_usual_rules() -> None:
    for wishes in (wishes_in("[other]\nx = 1\n", "x"), wishes_in("", "x"), Wishes()):
        assert rulebook(RULES, wishes).rules.rules == RULES


def test_what_a_caller_selects_takes_the_place_of_the_files_and_what_it_ignores_is_more() -> None:
    wishes = wishes_in(WHOLE, "x").and_also(["record"], ["conflict"])
    assert {rule.id for rule in rulebook(RULES, wishes).rules.rules if not rule.sound} == {"known-loss"}


WRONG = [
    ("[closeout]\nselct = []\n", "f.toml, line 2: no key 'selct' in closeout; there are select, ignore"),
    ("[closeout]\n\nignore = 'x'\n", "f.toml, line 3: closeout.ignore is a list of texts"),
    ("[closeout]\nselect = [1]\n", "f.toml, line 2: closeout.select is a list of texts"),
    ("closeout = 1\n", "f.toml, line 1: closeout is a table"),
    ("[closeout]\nseverity = 1\n", "f.toml, line 2: closeout.severity is a table"),
    (
        "[closeout.severity]\ntask-open = 'fatal'\n",
        "line 2: closeout.severity.task-open is one of error, warning, note",
    ),
    ("[closeout]\ncypher = 1\n", "line 2: closeout.cypher is tables"),
    ("[[closeout.cypher]]\nid = 'x'\nquery = '$mission'\n", "closeout.cypher.message is a text"),
    (
        "[[closeout.cypher]]\nid = 'X y'\nmessage = 'm'\nquery = '$mission'\n",
        "line 2: closeout.cypher.id is small letters",
    ),
    (
        "[[closeout.cypher]]\nid = 'x'\nmessage = 'm'\nquery = 'RETURN 1'\n",
        "line 4: closeout.cypher.query is about the",
    ),
    ("[[closeout.cypher]]\nid = 'x'\nmesage = 'm'\n", "line 3: no key 'mesage' in closeout.cypher; there are id,"),
    ("[closeout\n", "f.toml: "),
]


@pytest.mark.parametrize(("text", "told"), WRONG)
def test_an_error_names_the_line_and_what_is_allowed(text: str, told: str) -> None:
    with pytest.raises(UsageError) as error:
        wishes_in(text, "f.toml")
    assert told in str(error.value)


def test_a_query_may_not_have_the_id_of_a_rule_or_of_another_query() -> None:
    cypher = "[[closeout.cypher]]\nid = 'task-open'\nmessage = 'm'\nquery = '$mission'\n"
    with pytest.raises(UsageError, match="the id task-open is that of another rule"):
        rulebook(RULES, wishes_in(cypher, "f.toml"))
    with pytest.raises(UsageError, match="no id twice"):
        wishes_in(cypher.replace("task-open", "x") * 2, "f.toml")


def test_a_rule_that_cannot_be_had_is_an_error_until_it_is_ignored() -> None:
    fault = failed("mine", "it is broken")
    assert rulebook(RULES, Wishes(), [fault]).rules.faults == (fault,)
    assert rulebook(RULES, Wishes(ignore=("mine",)), [fault]).rules.faults == ()


@pytest.mark.parametrize("text", ["[rules]\nselect = []\n", 'forbidden-paths = ["vendor"]\n'])
def test_settings_of_rules_outside_of_their_table_are_not_passed_over(text: str) -> None:
    with pytest.raises(UsageError, match="closeout"):
        wishes_in(text, "muniment.toml")
    assert wishes_in("[other]\nkey = 1\n", "muniment.toml").select is None
