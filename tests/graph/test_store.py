"""The store's verbs: what a caller may rely on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from muniment import (
    AmbiguousIdError,
    BudgetInfeasibleError,
    ConflictError,
    EvidenceStore,
    FieldError,
    SecretRefusedError,
    StoreError,
    UnknownIdError,
    UsageError,
)
from muniment.model.nodes import Message, Receipt
from tests.support.claude_lines import Transcript


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EvidenceStore]:
    """An empty store."""
    with EvidenceStore.open(tmp_path / "s", create=True) as opened:
        yield opened


def said(name: str, text: str, by: str = "user") -> dict[str, object]:
    """Return a message."""
    return {"kind": "message", "id": name, "session": "S", "by": by, "text": text}


def test_records_are_stored_all_or_none(store: EvidenceStore) -> None:
    with pytest.raises(FieldError, match=r"\[1\]\.text"):
        store.record([said("a", "fine"), {"kind": "message", "id": "b", "by": "user", "text": 3}])
    assert store.missions() == []
    done = store.record([said("a", "fine"), said("b", "fine too")])
    assert (int(done), done.stored, done.duplicates) == (2, 2, 0)
    again = store.record([said("b", "fine too"), said("c", "new")])
    assert (again.stored, again.duplicates) == (1, 1)


def test_expected_is_compared_with_the_head(store: EvidenceStore) -> None:
    position = store.record([said("a", "one")])
    with pytest.raises(ConflictError) as conflict:
        store.record([said("b", "two")], expected=int(position) - 1)
    assert (conflict.value.expected, conflict.value.actual) == (0, 1)
    assert int(store.record([said("b", "two")], expected=int(position))) == 2


def test_unknown_fields_are_kept(store: EvidenceStore) -> None:
    store.record([{**said("a", "one"), "mood": "calm"}])
    entry = next(iter(store._journal.read(None)))  # the body as it was stored
    assert entry.body is not None
    assert entry.body["mood"] == "calm"


def parallel(folder: Path) -> Path:
    """Write a session in which one response makes two calls, whose results come between them."""
    lines = Transcript().user("Read both").reads("toolu_0", "/w/project/zero.py", ["zero"])
    start = len(lines.lines)
    lines.says("I look at both.").calls("toolu_1", "Bash", command="cat one")
    lines.returns("toolu_1", "first result").calls("toolu_2", "Bash", command="cat two").returns(
        "toolu_2", "second result"
    )
    name = f'"msg_{start}"'
    for place in range(start, len(lines.lines)):
        lines.lines[place] = lines.lines[place].replace(f'"msg_{place}"', name)
    return lines.says("Done.").write(folder / "parallel.jsonl")


@pytest.mark.parametrize("call", ["toolu_1", "toolu_2"])
def test_before_shows_what_the_model_saw_when_it_wrote_the_message(
    store: EvidenceStore, tmp_path: Path, call: str
) -> None:
    mission = store.import_session(parallel(tmp_path)).mission
    snapshot = store.snapshot(mission, before=call)
    assert [receipt.record for receipt in snapshot.of_kind(Receipt)] == ["toolu_0:result"]
    assert [snapshot.text(message.text) for message in snapshot.of_kind(Message)] == ["Read both"]
    view = store.view(mission, before=call).text
    assert "zero" in view
    for unseen in ("I look at both", "cat one", "cat two", "first result", "second result"):
        assert unseen not in view


def test_before_refuses_what_is_unknown_or_contradicts_itself(store: EvidenceStore, tmp_path: Path) -> None:
    mission = store.import_session(parallel(tmp_path)).mission
    with pytest.raises(UnknownIdError, match="`before`"):
        store.view(mission, before="toolu_none")
    with pytest.raises(UnknownIdError):
        store.view(mission, before="toolu_1:result")
    with pytest.raises(UsageError):
        store.view(mission, before="toolu_1", as_of=3)


def test_a_budget_that_is_too_small_says_what_is_needed_and_that_suffices(store: EvidenceStore) -> None:
    store.record(
        [
            {
                "kind": "fact_stated",
                "id": f"f{i}",
                "session": "S",
                "by": "user",
                "class": "constraint",
                "text": f"Rule {i}: " + "keep it " * 20,
            }
            for i in range(20)
        ]
    )
    mission = store.missions()[0].mission
    with pytest.raises(BudgetInfeasibleError) as refusal:
        store.view(mission, budget=100)
    assert store.view(mission, budget=refusal.value.needed).tokens <= refusal.value.needed
    with pytest.raises(BudgetInfeasibleError):
        store.view(mission, budget=refusal.value.needed - 1)


def test_an_emitted_view_is_recorded_and_changes_no_later_view(store: EvidenceStore) -> None:
    store.record([said("a", "Fix the parser"), said("b", "I will", by="agent")])
    mission = store.missions()[0].mission
    plain = store.view(mission)
    head = store.head()
    assert store.view(mission).text == plain.text
    assert store.head() == head
    store.view(mission, emit=True)
    assert store.head() != head
    assert store.view(mission).text == plain.text


def test_a_withdrawn_fact_is_history_and_binds_no_more(store: EvidenceStore) -> None:
    store.record(
        [{"kind": "fact_stated", "id": "f", "session": "S", "by": "user", "class": "constraint", "text": "Use tabs"}]
    )
    mission = store.missions()[0].mission
    assert "Use tabs" in store.view(mission).text
    store.withdraw("f", "spaces from now on")
    assert "Use tabs" not in store.view(mission).text
    told = store.rehydrate("f")
    assert (told.text, told.state) == ("Use tabs", "withdrawn")


def test_an_agent_cannot_end_what_a_user_stated(store: EvidenceStore) -> None:
    fact = {"kind": "fact_stated", "session": "S", "class": "constraint"}
    store.record(
        [
            {**fact, "id": "user", "by": "user", "text": "Never push"},
            {**fact, "id": "agent", "by": "agent", "text": "Pushing is fine", "supersedes": ["user"]},
            {"kind": "withdrawal", "id": "w", "session": "S", "by": "agent", "target": "user"},
        ]
    )
    mission = store.missions()[0].mission
    assert "Never push" in store.view(mission).text
    assert [(report.code, report.count) for report in store.reports(mission)] == [("no_authority", 2)]
    store.record([{**fact, "id": "user2", "by": "user", "text": "Push to drafts", "supersedes": ["user"]}])
    assert "Never push" not in store.view(mission).text


def test_an_id_that_names_two_things_is_ambiguous_until_the_mission_is_named(store: EvidenceStore) -> None:
    store.record([said("same", "in one")])
    store.record([{**said("same", "in two"), "session": "T"}])
    with pytest.raises(AmbiguousIdError):
        store.rehydrate("same")
    texts = {store.rehydrate("same", mission=info.mission).text for info in store.missions()}
    assert texts == {"in one", "in two"}


def test_lines_of_a_long_output_can_be_fetched(store: EvidenceStore, tmp_path: Path) -> None:
    output = "".join(f"line {i}\n" for i in range(1, 901))
    mission = store.import_session(
        Transcript().user("go").runs("toolu_1", "make", output).write(tmp_path / "s.jsonl")
    ).mission
    told = store.rehydrate("toolu_1:result", lines=(400, 402), mission=mission)
    assert (told.text.split("\n")[:3], told.total_lines) == (["line 400", "line 401", "line 402"], 900)
    with pytest.raises(UsageError):
        store.rehydrate("toolu_1:result", lines=(5, 2), mission=mission)


def test_secrets_are_redacted_kept_or_refused(tmp_path: Path) -> None:
    key = "AKIA" + "K4TZP7WQ2NBVX5RM"
    with EvidenceStore.open(tmp_path / "redact", create=True) as store:
        store.record([said("a", f"the key is {key}")])
        assert key not in store.rehydrate("a").text
        assert "[redacted:" in store.rehydrate("a").text
    with EvidenceStore.open(tmp_path / "keep", create=True, secrets="keep") as store:
        store.record([said("a", f"the key is {key}")])
        assert key in store.rehydrate("a").text
    with EvidenceStore.open(tmp_path / "refuse", create=True, secrets="refuse") as store:
        with pytest.raises(SecretRefusedError) as refusal:
            store.record([said("a", f"the key is {key}")])
        assert key not in str(refusal.value)
        assert store.record([said("b", "nothing secret")]).stored == 1


def test_a_store_that_is_not_there_is_not_made_by_the_way(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="create"):
        EvidenceStore.open(tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()


def test_the_graph_goes_to_networkx_with_all_nodes_and_edges(store: EvidenceStore, tmp_path: Path) -> None:
    mission = store.import_session(parallel(tmp_path)).mission
    graph = store.to_networkx(mission)
    built = store.rebuild(mission)[0]
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (built.nodes, built.edges)
    assert {data["kind"] for _, data in graph.nodes(data=True)} >= {"call", "receipt", "message", "file"}


@pytest.mark.parametrize(
    ("field", "record"),
    [
        ("status", {"kind": "tool_returned", "id": "r", "status": "weird"}),
        ("effect", {"kind": "tool_returned", "id": "r", "effect": "some"}),
        ("lines", {"kind": "tool_returned", "id": "r", "tool": "read", "path": "a", "lines": [5, 2]}),
        ("to", {"kind": "task_moved", "id": "r", "task": "t", "to": "nonsense"}),
        ("class", {"kind": "fact_stated", "id": "r", "class": "rumour", "text": "x"}),
    ],
)
def test_words_that_do_not_exist_are_refused_with_their_field(
    store: EvidenceStore, field: str, record: dict[str, object]
) -> None:
    with pytest.raises(FieldError) as refusal:
        store.record([record])
    assert refusal.value.path == f"[0].{field}"


def test_an_agent_that_nobody_knows_has_no_view(store: EvidenceStore) -> None:
    store.record([said("a", "one")])
    mission = store.missions()[0].mission
    with pytest.raises(UnknownIdError, match="no agent"):
        store.view(mission, agent="nope")
    assert store.view(mission, agent="").tokens


def test_a_new_store_is_for_its_owner_alone_and_a_folder_that_was_there_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "shared").mkdir(mode=0o755)
    for name in ("new", "shared"):
        EvidenceStore.open(tmp_path / name, create=True).close()
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("new", "shared")] == [0o700, 0o755]
