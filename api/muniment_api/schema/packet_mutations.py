"""Mutations about packets, beside all others. A refusal by the check is an answer, and no error."""

from __future__ import annotations

import strawberry
from strawberry.scalars import JSON

from muniment_api.schema import mutations
from muniment_api.schema.context import Info
from muniment_api.schema.declare import given, said, taken, told, typed
from muniment_api.schema.mutations import Payload, payload
from muniment_api.schema.packet_queries import offered
from muniment_api.schema.packets import (
    ForkedSession,
    PacketAcceptance,
    PacketInfo,
    acceptance_of,
    forked_of,
    info_of,
)


@taken
class ProposePacketInput:
    """A packet to keep, unchecked."""

    mission: strawberry.ID = said("The mission.")
    packet: JSON = said("The packet, in the form that its JSON Schema describes, or as a `packet_proposed` record.")


@taken
class AcceptPacketInput:
    """A packet to check and to put in force: by its id, or as a whole."""

    mission: strawberry.ID = said("The mission.")
    id: strawberry.ID | None = given("A stored packet.", None)
    packet: JSON | None = given("A packet as a whole.", None)
    view: strawberry.ID | None = given("The emitted view that goes with it.", None)
    reason: str = given("Why, in words.", "")


@taken
class ForkPacketInput:
    """A packet that is to be the whole history of another session."""

    mission: strawberry.ID = said("The mission.")
    id: strawberry.ID = said("The packet.")
    session: str = said("What the new session is called.")


@typed
class Mutation(mutations.Mutation):
    """What can be done, in the scope of the request and as far as it was granted."""

    @told
    def propose_packet(self, info: Info, input: ProposePacketInput) -> Payload[PacketInfo]:
        """Keep a packet, unchecked; the same one proposed twice is one."""

        def done() -> PacketInfo:
            store, home = info.context.store, info.context.mission(input.mission).mission
            made = store.propose_packet(offered(None, input.packet), mission=home)  # type: ignore[arg-type]
            return next(info_of(each) for each in store.packets(home) if each.id == made)

        return payload(info.context, done)

    @told
    def accept_packet(self, info: Info, input: AcceptPacketInput) -> Payload[PacketAcceptance]:
        """Check a packet and put it in force if nothing is wrong; a refusal is on record and changes nothing else."""

        def done() -> PacketAcceptance:
            home = info.context.mission(input.mission).mission
            wanted = offered(input.id, input.packet)
            return acceptance_of(
                info.context.store.accept_packet(wanted, mission=home, view=input.view, reason=input.reason)
            )

        return payload(info.context, done)

    @told
    def fork_packet(self, info: Info, input: ForkPacketInput) -> Payload[ForkedSession]:
        """Open another session of the same mission whose whole history is a packet; the first is left as it was."""

        def done() -> ForkedSession:
            home = info.context.mission(input.mission).mission
            return forked_of(info.context.store.fork_packet(input.id, session=input.session, mission=home))

        return payload(info.context, done)
