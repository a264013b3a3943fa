"""Text search: what is found, in which words, in whose sight; and what has ended or is gone is not found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import EvidenceStore, UnknownIdError, UsageError
from muniment.search.hits import KINDS, MARK, MARK_END, Hit
from tests.support.claude_lines import Transcript
from tests.support.damaged_files import holds


def fact(name: str, text: str, **fields: object) -> dict[str, object]:
    return {"kind": "fact_stated", "id": name, "by": "user", "class": "constraint", "text": text, **fields}


def run(name: str, command: str, output: str, **fields: object) -> dict[str, object]:
    return {
        "kind": "tool_returned",
        "id": name,
        "by": "tool",
        "tool": "command",
        "name": "Bash",
        "command": command,
        "output": output,
        "exit_code": 0,
        "effect": "none",
        **fields,
    }


def records(hits: list[Hit]) -> list[str]:
    return [hit.record for hit in hits]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    with EvidenceStore.open(tmp_path / "s", create=True) as opened:
        yield opened


@pytest.fixture
def told(store: EvidenceStore) -> EvidenceStore:
    """A store in which each kind says a word of its own."""
    store.record(
        [
            {"kind": "message", "id": "m", "by": "user", "text": "the amber heron"},
            fact("f", "never touch the basalt wall"),
            {"kind": "task_stated", "id": "t", "by": "user", "text": "paint the cedar door"},
            {
                "kind": "decision_made",
                "id": "d",
                "by": "agent",
                "choice": "use dolomite",
                "reason": "it is eggshell white",
                "rejected": ["flint"],
            },
            {"kind": "claim_made", "id": "c", "by": "agent", "type": "other", "text": "the garnet is set"},
            {"kind": "question_opened", "id": "q", "by": "agent", "what": "risk", "text": "is hematite brittle?"},
            run("r", "make iolite", "built jasper\nand kunzite\n"),
        ]
    )
    return store


@pytest.mark.parametrize(
    ("word", "record", "kind"),
    [
        ("amber", "m", "message"),
        ("basalt", "f", "fact"),
        ("cedar", "t", "task"),
        ("dolomite", "d", "decision"),
        ("eggshell", "d", "decision"),
        ("flint", "d", "decision"),
        ("garnet", "c", "claim"),
        ("hematite", "q", "question"),
        ("iolite", "r", "receipt"),
        ("jasper", "r", "receipt"),
    ],
)
def test_each_kind_is_found_by_its_words(told: EvidenceStore, word: str, record: str, kind: str) -> None:
    (hit,) = told.search(word)
    assert (hit.record, hit.kind) == (record, kind)
    assert f"{MARK}{word}{MARK_END}" in hit.snippet
    assert told.rehydrate(hit.id).record == record
    assert not told.search(f"{word}x")


def test_all_words_must_be_there_and_a_phrase_in_its_order(told: EvidenceStore) -> None:
    assert records(told.search("wall never")) == ["f"]
    assert records(told.search('"basalt wall"')) == ["f"]
    assert not told.search('"wall basalt"')
    assert not told.search("basalt heron")


def test_a_name_is_found_by_its_parts_and_without_accents(store: EvidenceStore) -> None:
    store.record([fact("one", "parse_price stays"), fact("two", "the café closes")])
    assert records(store.search("price")) == records(store.search("parse_price")) == ["one"]
    assert records(store.search("CAFE")) == ["two"]


@pytest.mark.parametrize(
    "text",
    [
        *('"', '""', '"basalt', "basalt*", "^basalt", "basalt AND", "NEAR(basalt wall, 2)", "body:basalt", "-basalt"),
        *(
            "basalt OR NOT",
            "(",
            ")",
            "{title body}: x",
            "a+b",
            "'",
            "; DROP TABLE document",
            "\x00basalt",
            "\ud83d",
            "--",
        ),
        *("", "   ", "🔑", "\ue000", "basalt \U0010ffff", "%", "\\", '"a" "b'),
    ],
)
def test_nothing_that_people_type_is_an_operator(told: EvidenceStore, text: str) -> None:
    assert isinstance(told.search(text), list)
    assert records(told.search("basalt")) == ["f"]


def test_what_cannot_be_asked_is_refused_and_what_can_is_not(told: EvidenceStore) -> None:
    with pytest.raises(UsageError, match="excerpt"):
        told.search("basalt", kinds=["excerpt"])
    for limit in (0, 201):
        with pytest.raises(UsageError, match="200"):
            told.search("basalt", limit=limit)
    with pytest.raises(UsageError, match="64"):
        told.search(" ".join(f"w{number}" for number in range(65)))
    assert told.search("basalt", kinds=KINDS, limit=200)
    assert not told.search(" ".join(f"w{number}" for number in range(64)))


def test_kinds_and_limit_narrow_and_the_order_is_stable(store: EvidenceStore) -> None:
    store.record([fact(f"f{number}", "equal words") for number in range(9)])
    store.record([{"kind": "message", "id": "m", "by": "user", "text": "equal words"}])
    assert records(store.search("equal", limit=3)) == ["m", "f8", "f7"]
    assert records(store.search("equal", kinds=["fact"], limit=2)) == ["f8", "f7"]
    assert store.search("equal", limit=200) == store.search("equal", limit=200)


def test_a_hit_tells_the_line(told: EvidenceStore) -> None:
    assert told.search("kunzite")[0].line == 2
    assert told.search("iolite")[0].line is None
    assert told.search("iolite")[0].title == "Bash make iolite"


def test_a_file_is_found_by_its_current_text_only(store: EvidenceStore, tmp_path: Path) -> None:
    lines = Transcript().user("go").reads("toolu_1", "/w/p/a.py", ["one", "opal = 1", "three"])
    store.import_session(lines.write(tmp_path / "s.jsonl"))
    assert [(hit.title, hit.line) for hit in store.search("opal", kinds=["file"])] == [("/w/p/a.py", 2)]
    lines.reads("toolu_2", "/w/p/a.py", ["one", "pearl = 1"])
    store.import_session(lines.write(tmp_path / "s.jsonl"))
    assert not store.search("opal", kinds=["file"])
    assert [hit.line for hit in store.search("pearl", kinds=["file"])] == [2]
    assert records(store.search("opal", kinds=["receipt"])) == ["toolu_1:result"]


def test_what_is_new_is_found_at_once(told: EvidenceStore) -> None:
    assert not told.search("larimar")
    told.record([fact("new", "larimar")])
    assert records(told.search("larimar")) == ["new"]


def test_a_withdrawn_thing_is_found_in_history_only(told: EvidenceStore) -> None:
    assert records(told.search("basalt")) == ["f"]
    told.withdraw("f", "no longer")
    assert not told.search("basalt")
    (hit,) = told.search("basalt", history=True)
    assert (hit.record, hit.state) == ("f", "withdrawn")
    assert records(told.search("amber")) == ["m"]


def test_a_superseded_fact_is_found_in_history_only(store: EvidenceStore) -> None:
    store.record([fact("old", "paint it teal"), fact("new", "paint it ochre", supersedes=["old"])])
    assert records(store.search("paint")) == ["new"]
    assert {(hit.record, hit.state) for hit in store.search("paint", history=True)} == {
        ("new", ""),
        ("old", "superseded"),
    }


def test_lines_that_only_a_withdrawn_read_showed_are_not_found(store: EvidenceStore, tmp_path: Path) -> None:
    lines = Transcript().user("go").reads("toolu_1", "/w/p/a.py", ["topaz"]).reads("toolu_2", "/w/p/b.py", ["topaz"])
    mission = store.import_session(lines.write(tmp_path / "s.jsonl")).mission
    assert len(store.search("topaz")) == 4
    store.withdraw("toolu_1:result", "the wrong machine", mission=mission)
    assert {hit.title for hit in store.search("topaz")} == {"/w/p/b.py", "Read /w/p/b.py"}
    assert not store.search('"a.py" topaz')


def test_a_purged_text_is_gone_from_answers_and_from_every_file(told: EvidenceStore, tmp_path: Path) -> None:
    secret = "quetzalcoatlus"
    told.record([fact("secret", f"{secret} " * 200)])
    assert records(told.search(secret)) == ["secret"]
    assert records(told.search("basalt")) == ["f"]
    told.purge("secret", "asked to")
    assert not holds(tmp_path / "s", secret.encode())
    assert not told.search(secret)
    assert not told.search(secret, history=True)
    assert not told.search("purged")
    assert records(told.search("basalt")) == ["f"]
    assert not holds(tmp_path / "s", secret.encode())


def test_another_handle_notices_a_purge(told: EvidenceStore, tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "s") as other:
        assert records(other.search("basalt")) == ["f"]
        told.purge("f", "asked to")
        assert not other.search("basalt")
        assert records(other.search("amber")) == ["m"]


def test_a_scoped_handle_finds_nothing_of_others(store: EvidenceStore) -> None:
    one = {"session": "S1", "project": "p1"}
    for name in ("1", "2"):
        opened = {"kind": "session_opened", "id": f"S{name}", "by": "harness", "session": f"S{name}"}
        store.record([{**opened, "project": f"p{name}"}, fact(f"F{name}", f"shared word{name}", session=f"S{name}")])
    foreign = next(info.mission for info in store.missions() if info.project == "p2")
    assert {hit.record for hit in store.search("shared")} == {"F1", "F2"}
    narrow = store.scoped(project=one["project"])
    before = narrow.search("shared")
    assert records(before) == ["F1"]
    assert not narrow.search("word2")
    with pytest.raises(UnknownIdError):
        narrow.search("shared", mission=foreign)
    store.record([fact(f"more{number}", "shared " * 9, session="S2") for number in range(20)])
    assert narrow.search("shared") == before, "scores must not tell what others say"
    assert records(store.search("shared", mission=foreign, limit=1)) != ["F1"]


@pytest.mark.parametrize("name", ["half \ud800", "nul \0", "back\\slash \\ud800", "\\"])
def test_an_id_of_a_source_may_hold_anything(store: EvidenceStore, name: str) -> None:
    child = {"kind": "message", "id": "said", "by": f"child:{name}", "agent": name, "text": "egret"}
    ended = {
        "kind": "delegation_ended",
        "id": "end",
        "by": "harness",
        "delegation": "d",
        "child": name,
        "outcome": "done",
    }
    store.record([fact("plain", "heron of the plain"), fact(name, "heron of the odd"), child, ended])
    assert records(store.search("egret")) == ["said"]
    assert records(store.search("odd heron")) == [name]
    assert records(store.search("plain heron")) == ["plain"]


def test_long_words_and_odd_characters_give_short_snippets(store: EvidenceStore) -> None:
    blob = "A" * 50_000
    store.record([run("r", "cat x", f"{blob}\n\x1b[31m{MARK}needle{MARK_END}\x1b[0m\x00\n{blob}\n")])
    (hit,) = store.search("needle")
    assert len(hit.snippet) < 400
    assert f"[{MARK}needle{MARK_END}]" in hit.snippet
    assert hit.line == 2
    (hit,) = store.search(blob)
    assert len(hit.snippet) < 400
    assert hit.snippet.count(MARK) == hit.snippet.count(MARK_END) == 1
