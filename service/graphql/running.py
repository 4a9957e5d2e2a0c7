"""Running one operation: prepared, measured, executed by graphql-core, and told as bytes."""

from collections import OrderedDict
from collections.abc import AsyncIterator, Iterable
from contextlib import aclosing
from inspect import isawaitable
from typing import Any, Final

import msgspec
from graphql import ExecutionResult, GraphQLError, OperationType
from graphql.execution import Executor, create_source_event_stream, execute

from service.errors import Fault, Invalid, row_of
from service.graphql.context import Context
from service.graphql.documents import Documents, NotGraphql, NotValid, Prepared
from service.graphql.faults import GraphqlInvalid
from service.graphql.limits import refuse_cost
from service.graphql.problems import extensions
from service.graphql.schema import Graph
from service.graphql.visitor import Visitor
from service.http import NUL, holds_nul
from service.parts import Parts

_ENCODER: Final = msgspec.json.Encoder()
_FAILURE: Final = 500


class Asked(msgspec.Struct, frozen=True):
    """A request for an operation, as every transport takes it."""

    query: str | None = None
    document_id: str | None = msgspec.field(name="documentId", default=None)
    operation_name: str | None = msgspec.field(name="operationName", default=None)
    variables: dict[str, Any] | None = None
    extensions: dict[str, Any] | None = None


class Operation(msgspec.Struct, frozen=True):
    """What is to be run."""

    prepared: Prepared
    name: str
    variables: dict[str, Any]

    @property
    def kind(self) -> OperationType:
        return self.prepared.kinds[self.name]


class Told(msgspec.Struct, frozen=True):
    """An answer. `status` is the one of its fault if nothing was run, else None."""

    body: bytes
    status: int | None = None
    is_partial: bool = False


class Item(msgspec.Struct, frozen=True):
    """One item of a subscription; `version` is where to go on after it."""

    body: bytes
    version: int | None


class Source(msgspec.Struct, frozen=True):
    """A subscription that is open; `shape` is what its items depend on besides the event."""

    executor: Any
    events: Any
    shape: tuple[Any, ...]
    context: Context


class Runner:
    """Runs operations on one graph. What many watchers of a match ask for alike is made once."""

    def __init__(self, parts: Parts, graph: Graph, documents: Documents) -> None:
        self.parts = parts
        self._graph = graph
        self._documents = documents
        self._most_shared = parts.settings.room(4096)
        self._shared: OrderedDict[tuple[Any, ...], bytes] = OrderedDict()

    def context(
        self, visitor: Visitor, arrived: int | None = None, resume: int | None = None
    ) -> Context:
        return Context(self.parts, self._graph.types, visitor, resume, arrived)

    def operation(self, asked: Asked) -> Operation:
        """Raises: GraphqlSyntax, GraphqlInvalid, GraphqlTooLarge, GraphqlUnknownOperation, Invalid
        for a text with U+0000.
        """
        prepared = self._documents.find(asked.query, asked.document_id)
        name = prepared.operation(asked.operation_name)
        variables = asked.variables or {}
        if holds_nul(variables):
            raise Invalid(Fault("variables", *NUL))
        cost = prepared.costs[name]
        refuse_cost(cost, {**prepared.defaults[name], **variables} if cost.pages else variables)
        return Operation(prepared, name, variables)

    async def once(self, operation: Operation, context: Context) -> Told:
        """A query or a mutation."""
        result: Any = execute(
            self._graph.schema,
            operation.prepared.document,
            None,
            context,
            operation.variables,
            operation.name or None,
        )
        return self._told(await result if isawaitable(result) else result)

    async def opened(self, operation: Operation, context: Context) -> Source | Told:
        """A subscription whose caller is let in; a Told if it can't be opened."""
        executor: Any = Executor.build(
            self._graph.schema,
            operation.prepared.document,
            None,
            context,
            operation.variables,
            operation.name or None,
        )
        if isinstance(executor, list):
            return self._told(ExecutionResult(None, executor))
        events: Any = create_source_event_stream(executor)
        events = await events if isawaitable(events) else events
        if isinstance(events, ExecutionResult):
            return self._told(events)
        shape = (operation.prepared, operation.name, _ENCODER.encode(operation.variables))
        return Source(executor, events, shape, context)

    async def items(self, source: Source) -> AsyncIterator[Item]:
        """The items of a subscription.

        Raises: what the feed raises, NoCredentials and MatchNotFound when the caller's rights end.
        """
        async with aclosing(source.events) as events:
            async for event in events:
                await source.context.visitor.still()
                yield await self._item(source.executor, source.shape, event, source.context)

    async def _item(
        self, executor: Any, shape: tuple[Any, ...], event: Any, context: Context
    ) -> Item:
        content = getattr(event, "content", None)
        if content is None or content.entry.has_texts:
            return Item(await self._executed(executor, event, context), _version(event))
        key = (*shape, content.key)
        body = self._shared.get(key)
        if body is None:
            body = self._shared[key] = await self._executed(executor, event, context)
            if len(self._shared) > self._most_shared:
                self._shared.popitem(last=False)
        return Item(body, content.entry.version)

    async def _executed(self, executor: Any, event: Any, context: Context) -> bytes:
        one = executor.build_per_event_executor(event)
        one.context_value = context.fresh()
        result = one.execute_operation(False)
        return self._told(await result if isawaitable(result) else result).body

    def _told(self, result: ExecutionResult) -> Told:
        if not result.errors:
            return Told(_ENCODER.encode({"data": result.data}))
        for error in result.errors:
            self._log(error)
        told = [shown(error) for error in result.errors]
        if result.data is None and all(each.path is None for each in result.errors):
            return Told(_ENCODER.encode({"errors": told}), status=400)
        body = _ENCODER.encode({"data": result.data, "errors": told})
        return Told(body, is_partial=result.data is not None)

    def _log(self, error: GraphQLError) -> None:
        cause = _cause(error)
        if cause is not None and row_of(cause).status >= _FAILURE:
            self.parts.log.error("request_failed", code=row_of(cause).code, exc_info=cause)


def refused(error: Exception) -> Told:
    """The answer to a request of which nothing was run."""
    if isinstance(error, NotValid | NotGraphql):
        return Told(told_errors(error.errors, error), row_of(error).status)
    body = _ENCODER.encode({"errors": [_masked(error)]})
    return Told(body, row_of(error).status)


def told_errors(errors: Iterable[GraphQLError], kind: Exception) -> bytes:
    told = [{**_located(each), "extensions": extensions(kind)} for each in errors]
    return _ENCODER.encode({"errors": told})


def shown(error: GraphQLError) -> dict[str, Any]:
    """An error of an execution: as the table of errors tells it, no word of what went wrong."""
    cause = _cause(error)
    if cause is None:
        # Of graphql-core itself: variables, arguments, results that don't fit.
        kind = GraphqlInvalid()
        return {**_located(error), "extensions": extensions(kind)}
    return {**_located(error), **_masked(cause)}


def _cause(error: GraphQLError) -> BaseException | None:
    """What of ours was raised; None if graphql-core refused something, with its errors wrapped."""
    cause: BaseException | None = error.original_error
    while isinstance(cause, GraphQLError):
        cause = cause.original_error
    return cause


def _masked(error: BaseException) -> dict[str, Any]:
    row = row_of(error)
    details = "".join(f" {each.pointer} {each.detail}." for each in getattr(error, "faults", ()))
    return {"message": row.detail + details, "extensions": extensions(error)}


def _located(error: GraphQLError) -> dict[str, Any]:
    told: dict[str, Any] = {"message": error.message}
    if error.locations:
        told["locations"] = [{"line": at.line, "column": at.column} for at in error.locations]
    if error.path is not None:
        told["path"] = error.path
    return told


def _version(event: Any) -> int | None:
    """CaughtUp and decisions stand for a version as well."""
    shown_at = getattr(event, "shown", event)
    version: int | None = getattr(shown_at, "version", None)
    return version
