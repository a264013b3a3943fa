"""ATIF, the Agent Trajectory Interchange Format (up to 1.8): one document, a list of steps.

* A step is an entry. It is read by the models of the `atif` package, which is loaded when the first step is met; what
  they refuse (a newer version, a writer's slip) is read as it is.
* `user` steps are the user's, in a sub-agent's trajectory its parent agent's; `system` steps are the harness's. Steps
  that were copied from another trajectory for context are not told again.
* Embedded sub-agents are streams of their own; the result that refers to one ends its delegation.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Protocol

import msgspec

from muniment.importers.atif_tools import call_of, outcome_of
from muniment.importers.lenient import integer, mapping, maybe_string, objects, storable, string
from muniment.importers.openhands_tools import content_text
from muniment.importers.plain_records import OpenCall, Spot, called, returned, said, used
from muniment.importers.protocol import SourceLine
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import DelegationEnded, DelegationStarted, ModelChanged, Record, SessionOpened

_HEAD = "document"
_SUBAGENTS = "subagent_trajectories"
_ACTORS = {"user": "user", "agent": "agent"}


class _Model(Protocol):
    """A step, as the package has it."""

    def model_dump(self, *, mode: str, exclude_none: bool) -> JSON_OBJECT:
        """Return the step as plain values."""
        ...


class AtifState(msgspec.Struct):
    """What is remembered between steps."""

    opened: bool = False
    model: str | None = None
    calls: dict[str, OpenCall] = {}


class AtifReader:
    """Reads the steps of one trajectory, in order."""

    def __init__(self, file_name: str) -> None:
        self._session = file_name

    def describe(self, body: JSON_OBJECT) -> SourceLine:
        """Tell where a step belongs; never raises."""
        stream, kind, ignored, actor, root = "", _HEAD, False, "harness", None
        if _HEAD in body:
            head = mapping(body, _HEAD)
            self._session = string(head, "trajectory_id") or string(head, "session_id") or self._session
            root = _folder(head)
        elif "steps" in body:
            stream, kind, actor = string(body, "trajectory_id"), "subagent", "agent"
        else:
            source = string(body, "source")
            ignored = body.get("is_copied_context") is True or not source
            kind = "copied" if body.get("is_copied_context") is True else source or "unknown"
            actor = _ACTORS.get(source, "harness")
        return SourceLine(
            session=self._session, stream=stream, source_id=None, kind=kind, ignored=ignored, actor=actor, root=root
        )


class AtifNormaliser:
    """Turns the steps of one trajectory into records."""

    def __init__(self, state: AtifState) -> None:
        self.state = state

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one step; what it cannot read it leaves out."""
        body = storable(entry.body)
        if not isinstance(body, dict):
            return []
        if _HEAD in body:
            return self._head(Spot(entry), mapping(body, _HEAD))
        return self._trajectory(Spot(entry), body) if "steps" in body else self._step(Spot(entry), body, "")

    def _head(self, spot: Spot, head: JSON_OBJECT) -> list[Record]:
        if self.state.opened:
            return []
        agent = mapping(head, "agent")
        self.state.opened, self.state.model = True, string(agent, "model_name") or None
        version = " ".join(part for key in ("name", "version") if (part := string(agent, key))) or None
        ident, root, model = spot.ident("opened"), _folder(head), self.state.model
        return [SessionOpened(id=ident, by="harness", root=root, model=model, version=version, **spot.place)]

    def _trajectory(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        """Return the records of an embedded trajectory, and of those inside it, under their own agents."""
        agent = string(body, "trajectory_id") or spot.agent
        at = Spot(spot.entry, agent=agent)
        found = [record for inner in objects(body, _SUBAGENTS) for record in self._trajectory(at, inner)]
        for place, step in enumerate(objects(body, "steps"), start=1):
            found += self._step(at, step, f":{agent}:{place}")
        return found

    def _step(self, spot: Spot, given: JSON_OBJECT, suffix: str) -> list[Record]:
        if given.get("is_copied_context") is True:
            return []
        step, own = _checked(given), f"{spot.entry.source_id}{suffix}"
        spot = Spot(spot.entry, maybe_string(step, "timestamp"), own, spot.agent)
        source, text = string(step, "source"), content_text(step, "message")
        if source == "agent":
            return self._agent(spot, step, text)
        child = bool(spot.agent or spot.entry.stream)
        by, role = ("agent" if child else "user", "prompt") if source == "user" else ("harness", "instructions")
        found: list[Record] = [*said(spot, f"{own}:message", text, by=by, role=role)]
        for place, result in enumerate(objects(mapping(step, "observation"), "results")):
            found += said(spot, f"{own}:notice:{place}", content_text(result), by="harness", role="notice")
        return found

    def _agent(self, spot: Spot, step: JSON_OBJECT, text: str) -> list[Record]:
        own, given = spot.turn, objects(step, "tool_calls")
        found = self._model(spot, string(step, "model_name"))
        found += said(spot, f"{own}:thinking", string(step, "reasoning_content"), by="agent", role="thinking")
        found += said(spot, f"{own}:message", text, by="agent", role="answer", final=not given)
        calls: dict[str, OpenCall] = {}
        for place, tool in enumerate(given):
            ident = string(tool, "tool_call_id") or f"{own}:call:{place}"
            call = calls[ident] = call_of(ident, string(tool, "function_name"), mapping(tool, "arguments"))
            left_out = ("content", "old_string", "new_string", "old_str", "new_str", "file_text")
            arguments = {key: value for key, value in mapping(tool, "arguments").items() if key not in left_out}
            found.append(called(spot, call, arguments))
        for place, result in enumerate(objects(mapping(step, "observation"), "results")):
            found += self._result(spot, calls, result, place)
        return found + self._usage(spot, mapping(step, "metrics"))

    def _result(self, spot: Spot, calls: dict[str, OpenCall], result: JSON_OBJECT, place: int) -> list[Record]:
        ident, text = string(result, "source_call_id"), content_text(result)
        call = calls.pop(ident, None) if ident else None
        if call is None and not ident and len(calls) == 1:  # a writer that names no call, and there is one only
            call = calls.pop(next(iter(calls)))
        if call is None:
            return [*said(spot, f"{spot.turn}:notice:{place}", text, by="harness", role="notice")]
        found: list[Record] = [returned(spot, call, outcome_of(call, text, mapping(result, "extra")))]
        for number, reference in enumerate(objects(result, "subagent_trajectory_ref")):
            child = string(reference, "trajectory_id") or string(reference, "trajectory_path")
            delegation = f"{call.ident}:delegation:{number}"
            found.append(DelegationStarted(id=delegation, by="agent", child=child, call=call.ident, **spot.place))
            end = f"{delegation}:end"
            found.append(
                DelegationEnded(
                    id=end,
                    by="tool",
                    delegation=delegation,
                    outcome="done",
                    text=text or None,
                    child=child,
                    **spot.place,
                )
            )
        return found

    def _model(self, spot: Spot, model: str) -> list[Record]:
        before, self.state.model = self.state.model, model or self.state.model
        if not model or before in (None, model):
            return []
        return [ModelChanged(id=f"{spot.turn}:model", by="harness", to=model, source=before, **spot.place)]

    def _usage(self, spot: Spot, metrics: JSON_OBJECT) -> list[Record]:
        given, output = integer(metrics, "prompt_tokens") or 0, integer(metrics, "completion_tokens") or 0
        read = integer(metrics, "cached_tokens") or 0
        found = used(spot, self.state.model, given=given, output=output, read=read)
        return [msgspec.structs.replace(record, id=f"{spot.turn}:tokens") for record in found]


class AtifFormat:
    """ATIF trajectories."""

    name = "atif/1"
    title = "ATIF trajectory"
    short = "atif"
    runtime = "atif"
    lists: tuple[str, ...] = ("steps", _SUBAGENTS)
    last: tuple[str, ...] = ()
    revisable = False

    def sniff_document(self, document: JSON_OBJECT) -> bool:
        """Tell whether a document names the format, or has steps with their ids and sources."""
        if string(document, "schema_version").startswith("ATIF"):
            return True
        steps = objects(document, "steps")[:5]
        return bool(steps) and all("step_id" in step and "source" in step and "message" in step for step in steps)

    def reader(self, file_name: str) -> AtifReader:
        """Return a reader for a file of that name."""
        return AtifReader(file_name)

    def normaliser(self, state: bytes | None) -> AtifNormaliser:
        """Return a normaliser, new or from the bytes of an earlier state."""
        return AtifNormaliser(AtifState() if state is None else msgspec.msgpack.decode(state, type=AtifState))


ATIF = AtifFormat()


@cache
def _package() -> tuple[Callable[[JSON_OBJECT], _Model], type[ValueError]]:
    """Return the package's reader of steps, and what it raises; loading it takes half a second, most of it pydantic."""
    step = import_module("atif").Step
    return step.model_validate, import_module("pydantic").ValidationError


def _checked(step: JSON_OBJECT) -> JSON_OBJECT:
    """Return a step as the package reads it, or as it is where the package refuses it."""
    read, refused = _package()
    try:
        return read(step).model_dump(mode="json", exclude_none=True)
    except refused:
        return step


def _folder(head: JSON_OBJECT) -> str | None:
    """Return the working directory that a trajectory names, if its writer added one."""
    places = [mapping(head, "extra"), mapping(mapping(head, "agent"), "extra")]
    keys = ("cwd", "working_dir", "workspace")
    return next((string(place, key) for place in places for key in keys if string(place, key)), None)
