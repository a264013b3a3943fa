"""The schema: types put together, and how operations are run.

* Queries and mutations run whole, in the worker's thread, whatever they came over; subscriptions run in the event loop
  and go to the worker for each look at the journal.
* Each operation gets its own `Operation`: nothing that one has asked of the store outlives it.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Coroutine, Iterable
from functools import cache, partial

import strawberry
from graphql import GraphQLError, get_operation_ast, parse
from graphql import OperationType as CoreOperationType
from strawberry.exceptions import MissingQueryError
from strawberry.schema.config import StrawberryConfig
from strawberry.schema.exceptions import CannotGetOperationTypeError, InvalidOperationTypeError
from strawberry.schema.schema import StreamResult
from strawberry.types import ExecutionResult
from strawberry.types.execution import ExecutionContext, PreExecutionError
from strawberry.types.graphql import OperationType

from muniment.errors import EvidenceError
from muniment_api.schema.context import Context
from muniment_api.schema.errors import ErrorCodes, coded
from muniment_api.schema.limits import Guard, Limits, Reader
from muniment_api.schema.nodes import TYPES, OtherNode
from muniment_api.schema.packet_mutations import Mutation
from muniment_api.schema.packet_queries import Query
from muniment_api.schema.subscription import Subscription

LIMITS = Limits()


class StoreSchema(strawberry.Schema):
    """A schema whose operations run in the worker's thread."""

    def process_errors(self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None) -> None:
        """Log nothing here: `ErrorCodes` logs what is a fault of ours, once and with an id."""

    async def execute(
        self,
        query: str | None,
        variable_values: dict[str, object] | None = None,
        context_value: object | None = None,
        root_value: object | None = None,
        operation_name: str | None = None,
        allowed_operation_types: Iterable[OperationType] | None = None,
        operation_extensions: dict[str, object] | None = None,
    ) -> ExecutionResult:
        """Run a query or mutation when it is its turn.

        Raises:
            BusyError: too much is waiting.
        """
        assert isinstance(context_value, Context)
        run = partial(
            self.execute_sync,
            query,
            variable_values=variable_values,
            context_value=context_value.operation(),
            root_value=root_value,
            operation_name=operation_name,
            allowed_operation_types=allowed_operation_types,
            operation_extensions=operation_extensions,
        )
        return await context_value.worker.run(run)

    async def stream(
        self,
        query: str | None,
        variable_values: dict[str, object] | None = None,
        context_value: object | None = None,
        root_value: object | None = None,
        operation_name: str | None = None,
        operation_extensions: dict[str, object] | None = None,
        allowed_operation_types: Iterable[OperationType] | None = None,
    ) -> StreamResult:
        """Run an operation that came over a stream; only subscriptions stay on the event loop."""
        if _is_query(query, operation_name):
            run = self.execute(
                query,
                variable_values,
                context_value,
                root_value,
                operation_name,
                allowed_operation_types,
                operation_extensions,
            )
            return _single(run)
        return await super().stream(
            query,
            variable_values=variable_values,
            context_value=context_value,
            root_value=root_value,
            operation_name=operation_name,
            operation_extensions=operation_extensions,
            allowed_operation_types=allowed_operation_types,
        )


async def _single(run: Coroutine[object, object, ExecutionResult]) -> AsyncGenerator[ExecutionResult, None]:
    try:
        result = await run
        begun = result.data is not None or not result.errors or any(error.path for error in result.errors)
        yield result if begun else PreExecutionError(data=None, errors=result.errors)
    except (MissingQueryError, CannotGetOperationTypeError, InvalidOperationTypeError) as error:
        yield PreExecutionError(data=None, errors=[coded(GraphQLError(str(error) or "no operation"))])
    except EvidenceError as error:
        yield PreExecutionError(data=None, errors=[coded(GraphQLError(str(error), original_error=error))])


def _is_query(query: str | None, operation_name: str | None) -> bool:
    """Tell whether an operation can be run at once; what cannot be read is left to the stream to refuse."""
    try:
        operation = get_operation_ast(parse(query or "", max_tokens=LIMITS.tokens), operation_name)
    except GraphQLError:
        return False
    return operation is not None and operation.operation is not CoreOperationType.SUBSCRIPTION


@cache
def build(limits: Limits = LIMITS) -> StoreSchema:
    """Return the schema with limits."""
    return StoreSchema(
        query=Query,
        mutation=Mutation,
        subscription=Subscription,
        types=[*TYPES.values(), OtherNode],
        config=StrawberryConfig(disable_field_suggestions=False),
        extensions=[ErrorCodes, Reader, partial(Guard, limits)],
    )


def printed() -> str:
    """Return the schema in the schema language, as `schema.graphql` holds it."""
    return build().as_str() + "\n"
