"""The MCP server: tools that answer from the store and record into it, nodes as resources, structured output.

* Tools that read say so (`readOnlyHint`); none of them reaches outside of the store. What is recorded is recorded in
  the agent's name: no tool has the user's authority.
* An error of the domain is the tool's result, with its code and what to do; anything else is a fault of the server.
* `mission` may be left out everywhere: the newest in sight is meant then.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Annotated, Literal, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError
from mcp.server.transport_security import TransportSecuritySettings
from pydantic import Field
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from muniment import __version__
from muniment.errors import EvidenceError, UsageError
from muniment.store import EvidenceStore
from muniment_api.answering import error_response
from muniment_api.exits import error_line
from muniment_api.mcp_answers import (
    CheckAnswer,
    CloseoutAnswer,
    ExplainedClaim,
    HoldsAnswer,
    ImpactAnswer,
    PendingAnswer,
    RecordedAnswer,
    SearchAnswer,
    ShowAnswer,
    ViewAnswer,
    WhyToolAnswer,
    check_answer,
    closeout_answer,
    explained_claim,
    holds_answer,
    impact_answer,
    pending_answer,
    rule_page,
    search_answer,
    show_answer,
    view_answer,
    why_answer,
)
from muniment_api.mcp_desk import READS, RECORDS, Ctx, Desk, Mission, ServedDesk, asked, mission_info, recorded
from muniment_api.mcp_packets import crossing
from muniment_api.service import Service

T = TypeVar("T")
PATH = "/mcp"
INSTRUCTIONS = (
    "The evidence of this session: what was asked, read, run, changed, decided and claimed. `view` gives the live "
    "context, `show` any part of it whole by its handle (such as R42), `closeout` which claims are proven."
)
Ids = Annotated[list[str] | None, Field(description="Ids or handles.")]
FactKind = Literal["objective", "constraint", "acceptance", "preference", "environment", "absence"]


def build(desk: Desk) -> MCPServer:
    """Return the server with all its tools."""
    server = MCPServer("muniment", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")
    _viewing(server, desk)
    _reading(server, desk)
    _resources(server, desk)
    _checking(server, desk)
    _stating(server, desk)
    _distilling(server, desk)
    crossing(server, desk)
    return server


def _viewing(server: MCPServer, desk: Desk) -> None:
    @server.tool(annotations=READS)
    async def view(
        ctx: Ctx,
        mission: Mission = None,
        budget: int = 4000,
        task: str | None = None,
        before: str | None = None,
        delegate: Annotated[str | None, Field(description="A delegation: only what its child needs.")] = None,
        provider: Annotated[str | None, Field(description="Without what is withheld from this provider.")] = None,
    ) -> ViewAnswer:
        """The minimal live context for the current task, within a budget of tokens."""

        def work(store: EvidenceStore) -> ViewAnswer:
            home = mission_info(store, mission).mission
            made = store.view(home, budget=budget, task=task, before=before, delegate=delegate, provider=provider)
            return view_answer(made)

        return await asked(desk, ctx, work)

    @server.tool(annotations=READS)
    async def why(
        ctx: Ctx,
        id: Annotated[str, Field(description="A handle (R42), an id, or a file's path.")],  # noqa: A002
        budget: int = 4000,
        task: str | None = None,
        mission: Mission = None,
    ) -> WhyToolAnswer:
        """Why something is or is not in the view of now, and what it would cost."""

        def work(store: EvidenceStore) -> WhyToolAnswer:
            home = mission_info(store, mission).mission
            return why_answer(store.why(id, mission=home, budget=budget, task=task))

        return await asked(desk, ctx, work)


def _reading(server: MCPServer, desk: Desk) -> None:
    @server.tool(annotations=READS)
    async def show(
        ctx: Ctx,
        id: Annotated[str, Field(description="An id or a handle, such as R42.")],  # noqa: A002
        first_line: int | None = None,
        last_line: int | None = None,
        mission: Mission = None,
    ) -> ShowAnswer:
        """The whole text behind an id or a handle, or some lines of it (1-based, inclusive)."""
        first = 1 if first_line is None else first_line
        lines = None if first_line is last_line is None else (first, first if last_line is None else last_line)

        def work(store: EvidenceStore) -> ShowAnswer:
            home = None if mission is None else mission_info(store, mission).mission
            return show_answer(store.rehydrate(id, lines=lines, mission=home))

        return await asked(desk, ctx, work)

    @server.tool(annotations=READS)
    async def search(
        ctx: Ctx,
        text: Annotated[str, Field(description='Words, and "phrases" in quotes; all have to be there.')],
        kinds: list[str] | None = None,
        limit: int = 20,
        mission: Mission = None,
    ) -> SearchAnswer:
        """What was said, run, read, stated or decided with these words in it, best first."""

        def work(store: EvidenceStore) -> SearchAnswer:
            home = None if mission is None else mission_info(store, mission).mission
            return search_answer(store.search(text, mission=home, kinds=kinds or (), limit=limit))

        return await asked(desk, ctx, work)

    @server.tool(annotations=READS)
    async def closeout(ctx: Ctx, mission: Mission = None, task: str | None = None) -> CloseoutAnswer:
        """Which claims of the mission, or of one task, are proven, unproven or contradicted, and by what."""
        return await asked(
            desk, ctx, lambda store: closeout_answer(store.closeout(mission_info(store, mission).mission, task=task))
        )


def _resources(server: MCPServer, desk: Desk) -> None:
    @server.resource("muniment://rule/{id}", name="rule", mime_type="text/markdown")
    async def rule(id: str, ctx: Ctx) -> str:  # noqa: A002
        """Why a rule of closeouts is there, and how to fix what it finds; a finding names its rule in brackets."""

        try:
            return await desk.run(ctx, lambda store: rule_page(store, id))
        except EvidenceError as error:
            raise ResourceError(f"{error.code}: {error_line(error)}") from None

    @server.resource("muniment://node/{id}", name="node", mime_type="text/plain")
    async def node(id: str, ctx: Ctx) -> str:  # noqa: A002
        """The whole text behind an id or a handle."""
        try:
            return await desk.run(ctx, lambda store: store.rehydrate(id).text)
        except EvidenceError as error:
            raise ResourceError(f"{error.code}: {error_line(error)}") from None


def _checking(server: MCPServer, desk: Desk) -> None:
    @server.tool(annotations=READS)
    async def check_write(
        ctx: Ctx,
        path: str,
        first_line: int | None = None,
        last_line: int | None = None,
        agent: Annotated[str, Field(description="A child's name; the root agent if left out.")] = "",
        mission: Mission = None,
    ) -> CheckAnswer:
        """Whether all that is about to be changed in a file was seen as it is now; else what to read before."""
        first = 1 if first_line is None else first_line
        lines = None if first_line is last_line is None else (first, first if last_line is None else last_line)

        def work(store: EvidenceStore) -> CheckAnswer:
            return check_answer(store.check_write(agent, path, lines, mission=mission_info(store, mission).mission))

        return await asked(desk, ctx, work)

    @server.tool(annotations=READS)
    async def holds(
        ctx: Ctx,
        id: Annotated[str, Field(description="A receipt: an id or a handle, such as R42.")],  # noqa: A002
        paths: Annotated[list[str] | None, Field(description="Only for these files.")] = None,
        mission: Mission = None,
    ) -> HoldsAnswer:
        """Whether a receipt still tells of what is there now, or what ended that."""

        def work(store: EvidenceStore) -> HoldsAnswer:
            return holds_answer(store.holds(id, paths, mission=mission_info(store, mission).mission))

        return await asked(desk, ctx, work)

    @server.tool(annotations=READS)
    async def explain_claim(
        ctx: Ctx,
        claim: Annotated[str, Field(description="A claim of the closeout: an id or a handle, such as L12.")],
        mission: Mission = None,
    ) -> ExplainedClaim:
        """Why a claim is proven or not: the whole chain of receipts, what they are about, what came since."""

        def work(store: EvidenceStore) -> ExplainedClaim:
            return explained_claim(store.explain_claim(claim, mission=mission_info(store, mission).mission))

        return await asked(desk, ctx, work)

    @server.tool(annotations=READS)
    async def impact(
        ctx: Ctx,
        of: Annotated[str, Field(description="A path, or an id or handle of a receipt, claim, fact or decision.")],
        mission: Mission = None,
    ) -> ImpactAnswer:
        """Which claims, tasks and artifacts lose their proof if this changes or no longer holds."""

        def work(store: EvidenceStore) -> ImpactAnswer:
            return impact_answer(store.impact(of, mission=mission_info(store, mission).mission))

        return await asked(desk, ctx, work)


def _stating(server: MCPServer, desk: Desk) -> None:
    @server.tool(annotations=RECORDS)
    async def record_decision(
        ctx: Ctx,
        choice: str,
        reason: str | None = None,
        rejected: list[str] | None = None,
        supersedes: Ids = None,
        mission: Mission = None,
    ) -> RecordedAnswer:
        """Record what was decided, why, what was rejected, and which earlier decisions it takes the place of."""
        told = {"choice": choice, "reason": reason, "rejected": rejected, "supersedes": supersedes}
        return await asked(desk, ctx, lambda store: recorded(store, mission, "decision_made", **told))

    @server.tool(annotations=RECORDS)
    async def state_fact(
        ctx: Ctx,
        text: str,
        kind: FactKind,
        slot: Annotated[str | None, Field(description="A slot that holds one fact at a time.")] = None,
        supersedes: Ids = None,
        target: Annotated[str | None, Field(description="The task whose acceptance criterion it is.")] = None,
        mission: Mission = None,
    ) -> RecordedAnswer:
        """State a fact, in the agent's name; it is kept in view until it is superseded or withdrawn."""
        told = {"class": kind, "text": text, "slot": slot, "supersedes": supersedes, "target": target}
        return await asked(desk, ctx, lambda store: recorded(store, mission, "fact_stated", **told))

    @server.tool(annotations=RECORDS)
    async def state_claim(
        ctx: Ctx,
        type: Annotated[str, Field(description="Such as tests_pass, build_ok, file_written, stated.")],  # noqa: A002
        text: str | None = None,
        cites: Ids = None,
        path: str | None = None,
        scope: Annotated[list[str] | None, Field(description="What it is narrowed to; the whole if left out.")] = None,
        what: Annotated[str | None, Field(description="The text that was seen, or is absent.")] = None,
        target: Annotated[str | None, Field(description="The task, criterion, fact or artifact it is about.")] = None,
        digest: Annotated[str | None, Field(description="sha256:… of the file's content.")] = None,
        mission: Mission = None,
    ) -> RecordedAnswer:
        """Claim something; `closeout` says whether it is proven."""
        told = {"type": type, "text": text, "cites": cites, "path": path, "scope": scope}
        told |= {"what": what, "target": target, "digest": digest}
        return await asked(desk, ctx, lambda store: recorded(store, mission, "claim_made", **told))

    @server.tool(annotations=RECORDS)
    async def open_question(
        ctx: Ctx, text: str, kind: Literal["question", "risk", "gap"] = "question", mission: Mission = None
    ) -> RecordedAnswer:
        """Open a question, a risk or a gap; it is kept in view until it is settled."""
        return await asked(desk, ctx, lambda store: recorded(store, mission, "question_opened", what=kind, text=text))


def _distilling(server: MCPServer, desk: Desk) -> None:
    @server.tool(annotations=READS)
    async def pending_distillations(ctx: Ctx, mission: Mission = None) -> PendingAnswer:
        """The large outputs of which no agent has said which lines matter, and what the store itself chose of them."""

        def work(store: EvidenceStore) -> PendingAnswer:
            return pending_answer(store.pending_distillations(mission_info(store, mission).mission))

        return await asked(desk, ctx, work)

    @server.tool(annotations=RECORDS)
    async def distil(
        ctx: Ctx,
        of: Annotated[str, Field(description="The receipt: an id or a handle.")],
        lines: Annotated[list[tuple[int, int]], Field(description="Decisive lines of its output, from 1, inclusive.")],
        states: Annotated[str | None, Field(description="What these lines establish.")] = None,
        leaves_open: Annotated[str | None, Field(description="What they leave open.")] = None,
        omissions_matter: Annotated[
            bool | None, Field(description="Whether what is left out could change the conclusion.")
        ] = None,
        mission: Mission = None,
    ) -> RecordedAnswer:
        """Name the decisive lines of a large output, what they establish, what they leave open, and whether the rest
        could change that. `pending_distillations` lists the outputs for which nobody has.
        """

        def work(store: EvidenceStore) -> RecordedAnswer:
            info = mission_info(store, mission)
            whole = store.rehydrate(of, mission=info.mission)
            for first, last in lines:
                store.rehydrate(of, lines=(first, last), mission=info.mission)
                if last > whole.total_lines:
                    raise UsageError(f"lines {first}-{last}: {of} has {whole.total_lines:,} lines")
            told = {
                "of": whole.record,
                "spans": [{"lines": [first, last]} for first, last in lines],
                "states": states,
                "leaves_open": leaves_open,
                "omissions_matter": omissions_matter,
            }
            return recorded(store, info.mission, "distillation_made", **told)

        return await asked(desk, ctx, work)


class _Admitting:
    """Lets through only what the service admits, before anything of it is read."""

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        try:
            self._service.context(scope, Headers(scope=scope))
        except EvidenceError as error:
            await error_response(error)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def mcp_app(desk: Desk) -> tuple[Mount, Callable[[Starlette], AbstractAsyncContextManager[None]]]:
    """Return the server for a service to mount, and what has to run while the service does."""
    server = build(desk)
    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # access is checked for each request
    app = server.streamable_http_app(
        streamable_http_path="/", json_response=True, stateless_http=True, transport_security=security
    )

    @asynccontextmanager
    async def running(_: Starlette) -> AsyncIterator[None]:
        async with server.session_manager.run():
            yield

    return Mount(PATH, app=app), running


def mounted(app: Starlette, desk: ServedDesk) -> Starlette:
    """Return the service's application with the server in it."""
    mount, running = mcp_app(desk)
    service = desk.service = app.state.service
    app.router.routes.append(Mount(PATH, app=_Admitting(mount.app, service)))
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def both(whole: Starlette) -> AsyncIterator[None]:
        async with inner(whole), running(whole):
            yield

    app.router.lifespan_context = both
    return app
