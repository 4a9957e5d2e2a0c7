"""Who comes: by the headers and the query of a request, and by the first message of a socket."""

from collections.abc import Mapping
from typing import Any, Final

from service.errors import Fault, NoCredentials, ParameterInvalid
from service.graphql.ids import MATCH, id_in
from service.graphql.visitor import Visitor
from service.http import Request
from service.parts import Parts

_MOST_SEAT: Final = 999


def visitor_of(parts: Parts, request: Request) -> Visitor:
    """`match` in the query is where a user's token is tried, `seat` is which of its seats it means.

    Raises: ParameterInvalid.
    """
    match, seat = _named_in(request)
    return Visitor(parts, request.header(b"authorization"), request.address, match, seat)


def announced(parts: Parts, request: Request, said: Mapping[str, Any]) -> Visitor:
    """Who the first message of a socket says it is. What it says goes before the header and the
    query of the address.

    Raises: ParameterInvalid; NoCredentials for a user at a match that can't be one.
    """
    match, seat = _named_in(request)
    header = request.header(b"authorization")
    given = said.get("authorization", said.get("Authorization", header))
    if said.get("seat") is not None:
        seat = _seat(said["seat"])
    named = said.get("match")
    if named is not None:
        match = id_in(MATCH, named) if isinstance(named, str) else None
    known = given if isinstance(given, str) else None
    visitor = Visitor(parts, known, request.address, match, seat)
    is_named = named is not None or request.query("match") is not None
    if is_named and not visitor.is_known_alone:
        raise NoCredentials
    return visitor


def _named_in(request: Request) -> tuple[str | None, int | None]:
    """The match, if an id of one is given, and the seat. Raises: ParameterInvalid."""
    seat = None if request.query("seat") is None else request.whole("seat", 0, 0, _MOST_SEAT)
    return id_in(MATCH, request.query("match") or ""), seat


def _seat(given: Any) -> int:
    """Raises: ParameterInvalid."""
    if type(given) is int and 0 <= given <= _MOST_SEAT:
        return given
    raise ParameterInvalid(Fault("seat", "out-of-range", f"has to lie between 0 and {_MOST_SEAT}"))
