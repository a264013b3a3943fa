"""The published JSON Schema (2020-12) of a packet, derived from its types.

`packet.schema.json` beside this file is what it gives; a test keeps the two equal. What a schema cannot say (that an id
leads somewhere, that what binds is complete) is for the check.
"""

from __future__ import annotations

from typing import Any, Final

import msgspec

from muniment.handoff.packet import ACTIONS, VERSION, Packet

DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
ID: Final = f"urn:muniment:packet:{VERSION}"
_HOLDS: Final[dict[str, str]] = {
    "binding": "facts in force and users' messages; never left out",
    "tasks": "open tasks; never left out; `after` are open tasks that one waits for",
    "settled": "tasks that ended since the base: history",
    "decisions": "decisions in force, with why, on what evidence, and what was turned down",
    "delegations": "work given to others that has not ended; never left out",
    "timers": "what is to happen later and has not; never left out",
    "questions": "open questions, risks and gaps; never left out",
    "losses": "what is known to be lost, one item for each kind",
    "files": "files that matter, by their current version",
    "verified": "claims that are proven",
    "unverified": "claims that are not proven, or contradicted, with why",
    "failed": "what was tried, failed, and did not succeed since",
    "absent": "what searches did not find and what still holds of that",
    "next_actions": "what may validly be done next",
    "pointers": "large outputs, by what they cost",
    "turns": "what was said last, oldest first",
    "tail": "what binds or is to be done and came after `covers_to`",
    "prose": "words of a compactor, without authority",
    "attachments": "items of a provider's own, by digest",
    "left_out": "how many things of each section the budget had no room for",
    "handles": "id to handle, of what is cited and not carried",
}


def packet_schema() -> dict[str, Any]:
    """Return the schema."""
    schema = msgspec.json.schema(Packet, ref_template="#/$defs/{name}")
    definitions: dict[str, Any] = schema["$defs"]
    for name, definition in definitions.items():
        definition["additionalProperties"] = False
        for field in definition.get("properties", {}).values():
            field.pop("default", None)
        if name == "Packet":
            _describe(definition["properties"])
    definitions["NextAction"]["properties"]["action"]["enum"] = list(ACTIONS)
    definitions["Packet"]["properties"]["version"]["const"] = VERSION
    packet = definitions.pop("Packet")
    packet["required"] = ["version", *packet["required"]]
    return {"$schema": DIALECT, "$id": ID, "title": "Packet", **packet, "$defs": dict(sorted(definitions.items()))}


def schema_text() -> str:
    """Return the schema as the text of its file."""
    return msgspec.json.format(msgspec.json.encode(packet_schema()), indent=2).decode() + "\n"


def _describe(properties: dict[str, Any]) -> None:
    for name, said in _HOLDS.items():
        properties[name]["description"] = said
    for name in ("ordinal", "budget", "tokens"):
        properties[name]["minimum"] = 0
    properties["left_out"]["additionalProperties"]["minimum"] = 1
