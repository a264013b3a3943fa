"""The trajectories of SWE-agent (`*.traj`), 0.x and 1.x: one document with a history and a trajectory.

* `history` is what the model was shown: from it come the system prompt, demonstrations and the task, which is the
  user's as far as it stands in the template's place for it. What follows the first answer is told again by
  `trajectory`, and better; it is kept, and no rule reads it.
* `trajectory` has a step for each action: what was thought, the action, the observation. Calls have no ids of their
  own there, and those in `history` are not unique.
* The state of a step is from before its action in 0.x (a text), and from behind it in 1.x (an object).
* A session is named by its file and its first thought, so that two runs under one name differ.
"""

from __future__ import annotations

import msgspec

from muniment.importers.codex_state import absolute
from muniment.importers.file_windows import Window, window_in
from muniment.importers.lenient import mapping, objects, storable, string
from muniment.importers.plain_records import OpenCall, Outcome, Spot, called, returned, said
from muniment.importers.swe_agent_actions import call_of, outcome_of
from muniment.importers.swe_agent_reader import HEAD, SweReader, folder_of, is_step, object_of, open_file_of, text_of
from muniment.importers.templates import Template, folder_of_prompt, without_prompt
from muniment.model.entries import JSON_OBJECT, Entry
from muniment.model.records import ArtifactProduced, Record, SessionClosed, SessionOpened

_KEPT_WINDOWS = 8
_ISSUE = "ISSUE:\n{issue}\n\nINSTRUCTIONS:\nNow, you're going to solve this issue on your own."


class SweState(msgspec.Struct):
    """What is remembered between parts."""

    opened: bool = False
    model: str | None = None
    version: str | None = None
    template: str = ""
    submission: str = ""
    exit_status: str = ""
    waiting: list[tuple[str, str]] = []
    prompted: bool = False
    answered: bool = False
    cwd: str | None = None
    open_file: str | None = None
    turn: int = 0
    windows: dict[str, Window] = {}


class SweNormaliser:
    """Turns the parts of one trajectory into records."""

    def __init__(self, state: SweState) -> None:
        self.state = state

    def feed(self, entry: Entry) -> list[Record]:
        """Return the records of one part; what it cannot read it leaves out."""
        body = storable(entry.body)
        if not isinstance(body, dict):
            return []
        spot = Spot(entry)
        if HEAD in body:
            self._head(mapping(body, HEAD))
            return []
        return self._step(spot, body) if is_step(body) else self._history(spot, body)

    def _head(self, head: JSON_OBJECT) -> None:
        config = object_of(head.get("replay_config"))
        agent = mapping(config, "agent")
        info = mapping(head, "info")
        self.state.model = string(mapping(agent, "model"), "name") or self.state.model
        self.state.template = string(mapping(agent, "templates"), "instance_template") or self.state.template
        self.state.version = string(info, "swe_agent_version") or self.state.version
        self.state.submission = string(info, "submission")
        self.state.exit_status = string(info, "exit_status")

    def _history(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        role, text = string(body, "role"), text_of(body)
        self.state.answered = self.state.answered or role == "assistant"
        if self.state.answered or not text.strip():
            return []
        if role == "system" or body.get("is_demo") is True or (role == "user" and self.state.prompted):
            self.state.waiting.append((spot.ident("message"), text))
            return self._told(spot) if self.state.opened else []
        return self._prompt(spot, text) if role == "user" else []

    def _prompt(self, spot: Spot, text: str) -> list[Record]:
        found = self._open(spot, folder_of_prompt(text))
        self.state.prompted = True
        before, task, behind = Template(self.state.template or _ISSUE).divide(text)
        found += said(spot, spot.ident("before"), before, by="harness", role="instructions")
        found += said(spot, spot.ident("message"), without_prompt(task), by="user", role="prompt")
        return [*found, *said(spot, spot.ident("behind"), behind, by="harness", role="instructions")]

    def _open(self, spot: Spot, root: str | None) -> list[Record]:
        """Return the opening, which needs the folder, and the harness's words that came before it was known."""
        if self.state.opened:
            return []
        self.state.opened, self.state.cwd = True, root or self.state.cwd
        opened = SessionOpened(
            id=spot.ident("opened"),
            by="harness",
            root=self.state.cwd,
            model=self.state.model,
            version=self.state.version,
            **spot.place,
        )
        return [opened, *self._told(spot)]

    def _told(self, spot: Spot) -> list[Record]:
        waiting, self.state.waiting = self.state.waiting, []
        return [
            message for ident, text in waiting for message in said(spot, ident, text, by="harness", role="instructions")
        ]

    def _step(self, spot: Spot, body: JSON_OBJECT) -> list[Record]:
        found: list[Record] = []
        folder, is_before = folder_of(body)
        if not self.state.opened:
            found += self._open(spot, folder)
        if is_before:
            self.state.cwd = folder or self.state.cwd
            self.state.open_file = open_file_of(body)
        self.state.turn += 1
        spot = Spot(spot.entry, None, f"{spot.entry.session}:turn:{self.state.turn}")
        action, text = string(body, "action"), string(body, "observation").replace("\r\n", "\n")
        call = call_of(spot.ident("call"), action, self.state.cwd)
        if call.path is None and call.tool in ("read", "write"):
            call.path = self.state.open_file
        submits = call.name == "submit"
        thought = string(body, "thought") or string(body, "response")
        found += said(spot, spot.ident("message"), thought, by="agent", role="answer", final=submits)
        if action.strip():
            found.append(called(spot, call))
            found.append(returned(spot, call, self._outcome(call, text, body)))
        if folder is not None and not is_before:
            self.state.cwd = folder
        self.state.open_file = open_file_of(body) or self.state.open_file
        return found + self._end(spot, call) if submits and _is_submitted(text, self.state) else found

    def _outcome(self, call: OpenCall, text: str, body: JSON_OBJECT) -> Outcome:
        window = window_in(text)
        if window is not None:
            window.path = absolute(window.path, self.state.cwd)
        before = None if window is None else self.state.windows.get(window.path)
        outcome = outcome_of(call, text, window, before)
        seconds = body.get("execution_time")
        if isinstance(seconds, int | float) and 0 <= seconds < 1e7:
            outcome.duration_ms = round(seconds * 1000)
        if window is not None and outcome.status == "ok" and call.tool in ("read", "write"):
            self.state.windows.pop(window.path, None)
            self.state.windows[window.path] = window
            if len(self.state.windows) > _KEPT_WINDOWS:
                self.state.windows.pop(next(iter(self.state.windows)))
        elif call.tool == "command":
            self.state.windows.clear()  # it may have changed any of the files
        return outcome

    def _end(self, spot: Spot, call: OpenCall) -> list[Record]:
        found: list[Record] = []
        if self.state.submission.strip():
            found.append(
                ArtifactProduced(
                    id=spot.ident("submission"),
                    by="harness",
                    path="submission.patch",
                    content=self.state.submission,
                    generated_by=call.ident,
                    **spot.place,
                )
            )
        return [*found, SessionClosed(id=spot.ident("closed"), by="harness", **spot.place)]


class SweFormat:
    """Trajectories of SWE-agent."""

    name = "swe-agent/1"
    title = "SWE-agent trajectory"
    short = "swe-agent"
    runtime = "swe-agent"
    lists: tuple[str, ...] = ("history", "trajectory")
    last: tuple[str, ...] = ()
    revisable = False

    def sniff_document(self, document: JSON_OBJECT) -> bool:
        """Tell whether a document has a trajectory whose steps are actions with observations."""
        steps = objects(document, "trajectory")
        return bool(steps) and any(is_step(step) for step in steps[:3])

    def reader(self, file_name: str) -> SweReader:
        """Return a reader for a file of that name."""
        return SweReader(file_name)

    def normaliser(self, state: bytes | None) -> SweNormaliser:
        """Return a normaliser, new or from the bytes of an earlier state."""
        return SweNormaliser(SweState() if state is None else msgspec.msgpack.decode(state, type=SweState))


SWE_AGENT = SweFormat()


def _is_submitted(text: str, state: SweState) -> bool:
    return "diff --git" in text or state.exit_status.startswith("submitted")
