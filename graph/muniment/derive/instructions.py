"""Instruction files as facts: which version of which file the agents were given, bound by pointer and digest.

* One fact for each version of a file; given again unchanged, it is the same fact. A changed file takes the place of
  what it said before, since both are the one file.
* The fact is the harness's word, not the user's: it may be withdrawn, and never speaks with a user's authority. What an
  agent says that it was given is no such fact.
* Where only the path is told, the version is not known: such a fact stands until the text is.
"""

from __future__ import annotations

from muniment.derive.builder import Builder
from muniment.derive.paths import file_key
from muniment.derive.sessions import rules_of, session_of
from muniment.derive.versions import whole_digest
from muniment.model.edges import EdgeKind
from muniment.model.nodes import INSTRUCTIONS, Fact
from muniment.model.records import InstructionsLoaded

_MAY_TELL = frozenset({"harness", "user", "tool"})


def instructions_loaded(builder: Builder, record: InstructionsLoaded) -> None:
    """An instruction file entered the context of an agent."""
    session = session_of(builder, record)
    if record.by not in _MAY_TELL:
        builder.refuse("no_authority", record.path)
        return
    key = file_key(record.path, root=session.root, cwd=session.cwd, rules=rules_of(session))
    place = f"{session.workspace}\n{key}"
    digest = None if record.content is None else str(whole_digest(record.content))
    older = builder.state.instructions.get(place)
    if older is not None and digest in (None, older[1]):
        return
    node = Fact(
        **builder.base(Fact, record),
        by=record.by,
        session=record.session,
        class_=INSTRUCTIONS,
        text=builder.refer(record.content or ""),
        slot=f"{INSTRUCTIONS}:{key}",
        clock=record.clock,
        path=record.path,
        digest=digest,
    )
    builder.add(node)
    if older is not None:
        builder.end(EdgeKind.SUPERSEDES, node.id, record.by, older[0])
    builder.state.instructions[place] = (node.id, digest or "")
