"""The reason of a purge is kept for good, so it must not bring back what was to go."""

from __future__ import annotations

from pathlib import Path

from muniment import EvidenceStore
from tests.support.claude_lines import Transcript
from tests.support.made_up_secrets import secrets


def test_a_secret_in_the_reason_of_a_purge_or_withdrawal_is_not_stored(tmp_path: Path) -> None:
    text, secret = secrets(0)["github"]
    session = Transcript().user("one").user("two").write(tmp_path / "s.jsonl")
    with EvidenceStore.open(tmp_path / "s", create=True) as store:
        mission = store.import_session(session).mission
        store.withdraw("U1", f"it held {text}", mission=mission)
        store.purge("U2", f"it held {text}", mission=mission)
        assert store.verify().clean
    files = [file for file in (tmp_path / "s").iterdir() if file.is_file()]
    assert files
    assert not [file.name for file in files if secret.encode() in file.read_bytes()]
