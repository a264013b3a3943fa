"""What a policy withholds from a provider is in no packet for it; what binds keeps its place."""

from __future__ import annotations

from pathlib import Path

import msgspec

from muniment.handoff.render import render
from muniment.model import records as r
from muniment.store import EvidenceStore
from tests.support.graphs import SESSION, Story

POLICY = "[[sensitive]]\nlevel = 'secret'\nwords = ['hunter2']\npaths = ['private/**']\n"


def secretive() -> Story:
    story = Story()
    story.say("The word is hunter2, tell nobody.")
    story.write("private/keys.py", "KEY = 1\n")
    story.write("src/a.py", "x = 1\n")
    story.run("make hunter2", "error: no rule for hunter2", exit_code=2)
    story.run("grep -rn hunter2 src", "", exit_code=1)
    story.task("Change hunter2", to="active")
    story.add(
        r.DecisionMade(
            id="d", by="agent", session=SESSION, choice="Keep hunter2", reason="hunter2", rejected=("hunter2",)
        )
    )
    for kind, path in (("tests_pass", None), ("file_written", "private/keys.py"), ("absent_in_file", "src/a.py")):
        story.add(
            r.ClaimMade(
                id=kind, by="agent", session=SESSION, type=kind, path=path, what="hunter2", text=f"hunter2 {path or ''}"
            )
        )
    return story


def test_no_word_and_no_file_that_is_withheld_is_in_a_packet_and_to_others_all_of_it_is(tmp_path: Path) -> None:
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        store.record(secretive().records)
        (tmp_path / "s" / "policy.toml").write_text(POLICY, encoding="utf-8")
        mission = store.missions()[0].mission
        stranger, owner = store.packet(mission, provider="acme"), store.packet(mission)
    told = msgspec.json.encode(stranger).decode() + render(stranger)
    assert "hunter2" not in told
    assert "private" not in told
    assert "hunter2" in render(owner)
    assert "private/keys.py" in render(owner)
    assert [item.id for item in stranger.binding] == [item.id for item in owner.binding]
    assert [item.id for item in stranger.tasks] == [item.id for item in owner.tasks]
