"""Every form that is hashed, against examples that are written down: a change of one byte would break every store.

`tests/golden/canonical.json` is never written by a program that this test runs; bytes are in hexadecimal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from muniment import canonical
from muniment.digest import chain_hash, commitment, digest_of, keyed_tag
from muniment.model.entries import Entry, envelope
from muniment.model.ids import mission_id, node_id

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "canonical.json").read_text(encoding="utf-8"))


def examples(name: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("example", GOLDEN[name])


@examples("encode")
def test_canonical_bytes(example: dict[str, Any]) -> None:
    assert canonical.encode(example["value"]).hex() == example["bytes"]
    assert canonical.decode(bytes.fromhex(example["bytes"])) == example["value"]


@examples("fields")
def test_field_lists(example: dict[str, Any]) -> None:
    assert canonical.fields(*example["parts"]).hex() == example["bytes"]


@examples("digest_of")
def test_digests(example: dict[str, Any]) -> None:
    assert digest_of(bytes.fromhex(example["data"])) == example["digest"]


@examples("commitment")
def test_commitments(example: dict[str, Any]) -> None:
    assert commitment(bytes.fromhex(example["salt"]), bytes.fromhex(example["body"])).hex() == example["commitment"]


@examples("chain_hash")
def test_chain_hashes(example: dict[str, Any]) -> None:
    parts = [bytes.fromhex(example[name]) for name in ("previous", "envelope", "commitment")]
    assert chain_hash(*parts).hex() == example["hash"]


@examples("envelope")
def test_envelopes(example: dict[str, Any]) -> None:
    assert envelope(Entry(**example["entry"], body=None, hash=b"")).hex() == example["bytes"]


@examples("mission_id")
def test_mission_ids(example: dict[str, Any]) -> None:
    assert mission_id(example["format"], example["session"]) == example["id"]


@examples("node_id")
def test_node_ids(example: dict[str, Any]) -> None:
    assert node_id(example["kind"], example["mission"], example["record"], example["role"]) == example["id"]


@examples("keyed_tag")
def test_keyed_tags(example: dict[str, Any]) -> None:
    found = keyed_tag(bytes.fromhex(example["key"]), bytes.fromhex(example["text"]), example["length"])
    assert found == example["tag"]


def test_no_two_field_lists_run_into_each_other() -> None:
    written = [example["bytes"] for example in GOLDEN["fields"]]
    assert len(set(written)) == len(written)


@pytest.mark.parametrize(
    "text", [b"1e999", b'["\\ud83d", -1e999]', b"NaN", b"Infinity", b"1 2", b"", b"\xff", b'{"a":}']
)
def test_what_is_no_json_value_is_refused(text: bytes) -> None:
    with pytest.raises(ValueError):
        canonical.decode(text)


def test_canonical_bytes_do_not_hang_on_the_hash_seed() -> None:
    program = (
        "from muniment import canonical; print(canonical.encode({k: {j: 1 for j in 'zya'} for k in 'qwertyé'}).hex())"
    )
    seeds = ("0", "1", "4711")
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in seeds
    }
    assert len(outputs) == 1
