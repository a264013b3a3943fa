"""Access: who asks, and which part of the store that shows them.

* Every request gets a scoped handle or none: its project or mission comes from the token, from how the server was
  started, or from a header; never from a body. Without one it is refused (`scope_required`).
* Over TCP a token is asked for if there is one; off loopback there has to be. Without a token only requests to a name
  of this machine are answered, so that no page of another site can reach the server by a name of its own; nor is what a
  browser says to come from such a page.
* The Unix socket is for the owner of the store, whom the file system lets through: it needs no token and speaks for the
  user, as the command line does. It needs a scope all the same, but for what only the whole store can answer (`whole`).
"""

from __future__ import annotations

import hmac
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from muniment.errors import EvidenceError, ScopeError
from muniment.scope import ACCEPT, IMPORT, READ, RECORD, SCOPED_ACTORS, WITHDRAW
from muniment.store import EvidenceStore

PROJECT_HEADER = "muniment-project"
MISSION_HEADER = "muniment-mission"
LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
OWNER_ACTORS = SCOPED_ACTORS | {"user", "compactor", "unknown"}
OWNER_VERBS = frozenset({READ, RECORD, IMPORT, WITHDRAW, ACCEPT})
HANDLES = 256
"""Scoped handles that are kept; each remembers which session is of which mission."""


class UnauthenticatedError(EvidenceError):
    """The request has no token, or a wrong one, or comes under a name that is not this server's."""

    code = "unauthenticated"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What a server lets through over TCP.

    `project`: the only one that is served; None: each request names its own. `tokens`: secret → the project that it is
    for, None for any. `roots`: folders that sessions may be imported from; empty: none.
    """

    project: str | None = None
    tokens: Mapping[str, str | None] = field(default_factory=dict)
    actors: frozenset[str] = SCOPED_ACTORS
    verbs: frozenset[str] = frozenset({READ, RECORD})
    roots: tuple[Path, ...] = ()
    names: frozenset[str] = LOCAL_NAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a request says of itself. `owner`: it came over the store's own socket."""

    owner: bool
    host: str = ""
    origin: str | None = None
    authorization: str = ""
    project: str | None = None
    mission: str | None = None

    @property
    def foreign(self) -> bool:
        """Whether a page that is not this server's own has sent it."""
        return self.origin is not None and urlsplit(self.origin).netloc.lower() != self.host.lower()


@dataclass(frozen=True, slots=True)
class Admitted:
    """A scoped handle, and the folders that it may import from (None: any)."""

    store: EvidenceStore
    roots: tuple[Path, ...] | None


def asked(scope: Mapping[str, object], headers: Mapping[str, str]) -> Asked:
    """Read what a request says of itself. Names in headers are percent-encoded."""
    server = scope.get("server")
    project, mission = headers.get(PROJECT_HEADER), headers.get(MISSION_HEADER)
    return Asked(
        owner=isinstance(server, tuple | list) and server[1] is None,
        host=headers.get("host", ""),
        origin=headers.get("origin"),
        authorization=headers.get("authorization", ""),
        project=None if project is None else unquote(project),
        mission=None if mission is None else unquote(mission),
    )


class Access:
    """Hands out scoped handles on one store."""

    def __init__(self, store: EvidenceStore, policy: Policy) -> None:
        self._store = store
        self._policy = policy
        self._handles: OrderedDict[tuple[str | None, str | None, bool], EvidenceStore] = OrderedDict()

    def admit(self, asked: Asked) -> Admitted:
        """Return what a request may work with.

        Raises:
            UnauthenticatedError: it has no right to ask.
            ScopeError: it names no project or mission, or another one than it is for.
        """
        own = self._policy.project if asked.owner else self._project(asked)
        if own is not None and asked.project not in (None, own):
            raise ScopeError("a scope cannot be moved to another project")
        handle = self._handle(asked.project if own is None else own, asked.mission, owner=asked.owner)
        return Admitted(handle, None if asked.owner else self._policy.roots)

    def whole(self, asked: Asked) -> EvidenceStore:
        """Return the owner's handle on the whole store.

        Raises:
            ScopeError: the request did not come over the store's socket, or this server shows one project alone.
        """
        if not asked.owner:
            raise ScopeError("the whole store is shown over the store's socket only")
        if self._policy.project is not None:
            raise ScopeError(f"this server shows project {self._policy.project} alone: stop it to ask about the store")
        return self._store

    def _project(self, asked: Asked) -> str | None:
        """Return the project that a request over TCP is for, None for any."""
        policy = self._policy
        if not policy.tokens:
            if asked.host.rpartition(":")[0] not in policy.names and asked.host not in policy.names:
                raise UnauthenticatedError("without a token this server answers only to the names of this machine")
            if asked.foreign:
                raise UnauthenticatedError("without a token this server does not answer pages of other sites")
            return policy.project
        kind, _, secret = asked.authorization.partition(" ")
        known = [
            (token, project)
            for token, project in policy.tokens.items()
            if hmac.compare_digest(token.encode(), secret.strip().encode())
        ]
        if kind.lower() != "bearer" or not known:
            raise UnauthenticatedError("a token is required: send `Authorization: Bearer ...`")
        return known[0][1] or policy.project

    def _handle(self, project: str | None, mission: str | None, *, owner: bool) -> EvidenceStore:
        key = (project, mission, owner)
        found = self._handles.pop(key, None)
        if found is None:
            policy = self._policy
            verbs = OWNER_VERBS if owner else policy.verbs | ({IMPORT} if policy.roots else frozenset())
            actors = OWNER_ACTORS if owner else policy.actors
            found = self._store.scoped(project=project, mission=mission, actors=actors, verbs=verbs)
        self._handles[key] = found
        if len(self._handles) > HANDLES:
            self._handles.popitem(last=False)
        return found
