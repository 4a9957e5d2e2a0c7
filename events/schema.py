"""Old bodies in their newest shape: upcasters by kind and schema, and no guessing about others."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, get_args

from events.canonical import canonical, decoded
from events.types import Event

Body: TypeAlias = dict[str, Any]
Upcast: TypeAlias = Callable[[Body], Body]


class UnknownSchema(Exception):
    """An event this code cannot read: a kind, a schema or a field newer than the code."""

    def __init__(self, version: int, kind: str, schema: int) -> None:
        super().__init__(f"event {version}: {kind} schema {schema} is not known here")
        self.version = version
        self.kind = kind
        self.schema = schema


UPCASTS: Mapping[tuple[str, int], Upcast] = {}  # (kind, n): a body of schema n as one of n + 1

NEWEST: Mapping[str, int] = {
    str(each.__struct_config__.tag): 1
    + sum(kind == each.__struct_config__.tag for kind, _ in UPCASTS)
    for each in get_args(Event)
}


def is_known(kind: str, schema: int) -> bool:
    """Whether this release reads such events."""
    return 1 <= schema <= NEWEST.get(kind, 0)


def upcast(
    version: int,
    kind: str,
    schema: int,
    body: bytes,
    upcasts: Mapping[tuple[str, int], Upcast] = UPCASTS,
) -> bytes:
    """The body in its newest shape; `schema` in it stays as stored.

    It says in which form the event was shown and committed to, and that never changes.
    Raises: UnknownSchema.
    """
    newest = NEWEST.get(kind, 0) if upcasts is UPCASTS else 1 + sum(k == kind for k, _ in upcasts)
    if kind not in NEWEST or not 1 <= schema <= newest:
        raise UnknownSchema(version, kind, schema)
    shape: Body = decoded(body)
    for older in range(schema, newest):
        shape = upcasts[kind, older](shape)
    return canonical({**shape, "schema": schema})
