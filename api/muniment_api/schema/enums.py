"""Closed sets of words. A test compares them with the domain's."""

from __future__ import annotations

from enum import Enum

import strawberry


@strawberry.enum(description="What a node of the graph is.")
class NodeKind(Enum):
    """What a node of the graph is; values are the domain's words."""

    MISSION = "mission"
    SESSION = "session"
    AGENT = "agent"
    WORKSPACE = "workspace"
    MESSAGE = "message"
    FACT = "fact"
    TASK = "task"
    FILE = "file"
    FILE_VERSION = "file_version"
    CALL = "call"
    RECEIPT = "receipt"
    EXCERPT = "excerpt"
    SYMBOL = "symbol"
    NAME = "name"
    CLAIM = "claim"
    DECISION = "decision"
    ARTIFACT = "artifact"
    QUESTION = "question"
    DELEGATION = "delegation"
    TIMER = "timer"
    BOUNDARY = "boundary"
    EVENT = "event"
    PACKET = "packet"
    VIEW = "view"
    GAP = "gap"


@strawberry.enum(description="How two nodes are joined.")
class EdgeKind(Enum):
    """How two nodes are joined; values are the domain's words."""

    SUPPORTS = "SUPPORTS"
    REFUTES = "REFUTES"
    CITES = "CITES"
    SUPERSEDES = "SUPERSEDES"
    REPEATS = "REPEATS"
    WITHDRAWS = "WITHDRAWS"
    DEPENDS_ON = "DEPENDS_ON"
    ABOUT = "ABOUT"
    READS = "READS"
    WRITES = "WRITES"
    EXCERPT_OF = "EXCERPT_OF"
    VERSION_OF = "VERSION_OF"
    PART_OF = "PART_OF"
    MENTIONS = "MENTIONS"
    PRODUCED = "PRODUCED"
    DELEGATED = "DELEGATED"
    PRECEDES = "PRECEDES"
    OBSERVED = "OBSERVED"
    MOVED = "MOVED"
    KEPT = "KEPT"
    FORGOT = "FORGOT"


@strawberry.enum(description="Which way edges are followed.")
class Way(Enum):
    """Which way edges are followed."""

    OUT = "out"
    IN = "in"
    BOTH = "both"


@strawberry.enum(description="The verdict on a mission or task.")
class Verdict(Enum):
    """The verdict on a mission or task. Only PROVEN passes, and WAIVED."""

    PROVEN = "proven"
    UNPROVEN = "unproven"
    CONTRADICTED = "contradicted"
    NOTHING_CLAIMED = "nothing_claimed"
    WAIVED = "waived"


@strawberry.enum(description="In whose name something is recorded. A handle may speak for some of them only.")
class Author(Enum):
    """In whose name something is recorded."""

    USER = "user"
    AGENT = "agent"
    TOOL = "tool"
    HARNESS = "harness"


@strawberry.enum(description="What kind of fact is stated.")
class FactClass(Enum):
    """What kind of fact is stated."""

    OBJECTIVE = "objective"
    CONSTRAINT = "constraint"
    ACCEPTANCE = "acceptance"
    PREFERENCE = "preference"
    ENVIRONMENT = "environment"
    ABSENCE = "absence"


@strawberry.enum(description="What is open: a question, a risk, or a gap in what was verified.")
class QuestionKind(Enum):
    """What is open."""

    QUESTION = "question"
    RISK = "risk"
    GAP = "gap"
