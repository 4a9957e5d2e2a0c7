"""Requests and answers over plain ASGI, as small as the doors need them."""

from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from typing import Any, Final, TypeVar
from urllib.parse import parse_qs

import msgspec

from service.errors import (
    BodyTooLarge,
    Fault,
    Invalid,
    Malformed,
    NotAcceptable,
    ParameterInvalid,
    UnsupportedMedia,
)
from service.faulting import fault_in
from service.repeated import refuse_repeated

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Header = tuple[bytes, bytes]

JSON: Final = b"application/json"
HTML: Final = b"text/html; charset=utf-8"
NDJSON: Final = b"application/x-ndjson"
SSE: Final = b"text/event-stream"

# The ASGI extension of a server that takes a whole answer at once: the request's `send`, status,
# header lines that are ready, further headers, body. Looking at every header by itself costs as
# much as a move.
WHOLE: Final = "plyscribe.whole"
Whole = Callable[[Send, int, bytes, list[Header], bytes], Awaitable[None]]

# PostgreSQL can't store it, and nobody means it: code and detail of a fault.
NUL: Final = ("nul-character", "holds the character U+0000")

_CODED: Final = Fault("Content-Encoding", "unknown-value", "bodies are taken as they are alone")

T = TypeVar("T")


class Disconnected(Exception):
    """The client went away before its request was whole."""


class Answer(msgspec.Struct, frozen=True):
    """Without a `media` it has no body."""

    status: int
    body: bytes = b""
    media: bytes = JSON
    headers: tuple[Header, ...] = ()


class Stream(msgspec.Struct, frozen=True):
    """An answer without an end of its own; `parts` may take for ever."""

    parts: AsyncIterator[bytes]
    media: bytes
    headers: tuple[Header, ...] = ()


class Request:
    """One request. `path` holds the parameters of its address, `media` what the answer shall be.

    `limit` are the headers that tell the caller of its limit, once they are known.
    """

    __slots__ = ("_headers", "_query", "_receive", "limit", "media", "method", "path", "scope")

    def __init__(self, scope: Scope, receive: Receive, path: dict[str, str]) -> None:
        self.scope = scope
        self.method: str = scope["method"]
        self.path = path
        self.media = JSON
        self.limit: tuple[Header, ...] = ()
        self._receive = receive
        self._headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))  # the first of each
        self._query: dict[str, list[str]] | None = None

    @property
    def receive(self) -> Receive:
        return self._receive

    @property
    def address(self) -> str:
        """Where it comes from, as far as the server knows."""
        client = self.scope.get("client")
        return str(client[0]) if client else ""

    def header(self, name: bytes) -> str | None:
        """The first header of that (lower-case) name."""
        value = self._headers.get(name)
        return None if value is None else str(value, "latin-1")

    def query(self, name: str) -> str | None:
        """Raises: ParameterInvalid if it is given twice."""
        given = self._queries().get(name)
        if given is None:
            return None
        if len(given) > 1:
            raise ParameterInvalid(Fault(name, "repeated", "is given more than once"))
        return given[0]

    def whole(self, name: str, default: int, least: int, most: int) -> int:
        """A whole number out of the query. Raises: ParameterInvalid."""
        given = self.query(name)
        if given is None:
            return default
        digits = given.removeprefix("-")
        if not (digits.isascii() and digits.isdigit()):
            raise ParameterInvalid(Fault(name, "not-a-number", "is not a whole number"))
        if digits != given or len(digits) > 16 or not least <= int(given) <= most:
            raise ParameterInvalid(
                Fault(name, "out-of-range", f"has to lie between {least} and {most}")
            )
        return int(given)

    def flag(self, name: str) -> bool:
        return self.one_of(name, ("true", "false"), "false") == "true"

    def one_of(self, name: str, allowed: tuple[str, ...], default: str) -> str:
        given = self.query(name)
        if given is None:
            return default
        if given not in allowed:
            raise ParameterInvalid(
                Fault(name, "unknown-value", f"has to be one of {', '.join(allowed)}")
            )
        return given

    def only(self, *names: str) -> None:
        """Raises: ParameterInvalid for any other query parameter."""
        for name in self._queries():
            if name not in names:
                raise ParameterInvalid(Fault(name[:64], "unknown-parameter", "is not known here"))

    async def body(self, limit: int) -> bytes:
        """Raises: BodyTooLarge, before more is read if that is declared; UnsupportedMedia for one
        that is compressed; Disconnected.
        """
        coding = self._headers.get(b"content-encoding", b"identity")
        if coding.strip().lower() != b"identity":
            raise UnsupportedMedia(_CODED, headers=((b"accept", JSON),))
        declared = self.header(b"content-length")
        if declared is not None and declared.isascii() and declared.isdigit():
            self._bounded(int(declared), limit)
        message = await self._receive()
        data: bytes = message.get("body", b"")
        while message["type"] == "http.request" and message.get("more_body"):
            self._bounded(len(data), limit)
            message = await self._receive()
            data += message.get("body", b"")
        if message["type"] == "http.disconnect":
            raise Disconnected
        self._bounded(len(data), limit)
        return data

    async def decoded(self, decoder: msgspec.json.Decoder[T], limit: int) -> T:
        """The body as JSON. Raises: UnsupportedMedia, BodyTooLarge, Malformed, Invalid."""
        self.refuse_other_media()
        return parsed(await self.body(limit), decoder)

    async def optional(self, decoder: msgspec.json.Decoder[T], without: T, limit: int) -> T:
        """The same, and `without` where there is no body. Generated clients name the content type
        of a body even where they leave it out.
        """
        if self.header(b"content-type") is not None:
            self.refuse_other_media()
        data = await self.body(limit)
        if not data.strip():
            return without
        self.refuse_other_media()
        return parsed(data, decoder)

    def refuse_other_media(self) -> None:
        """Raises: UnsupportedMedia for a body that is not JSON by its content type."""
        media = self.header(b"content-type") or ""
        if media != "application/json" and not _is_json(media):
            raise UnsupportedMedia(headers=((b"accept", JSON),))

    async def nothing(self, limit: int) -> None:
        """A body that is empty or an empty object. Raises: Malformed, Invalid."""
        data = await self.body(limit)
        if data.strip() not in (b"", b"{}"):
            parsed(data, _EMPTY)

    def _bounded(self, length: int, limit: int) -> None:
        """The rest of a body that is too large is not read: the connection is closed instead."""
        if length > limit:
            raise BodyTooLarge(headers=((b"connection", b"close"),))

    def _queries(self) -> dict[str, list[str]]:
        if self._query is None:
            given = str(self.scope["query_string"], "latin-1")
            if not given:
                self._query = {}
                return self._query
            try:
                self._query = parse_qs(
                    given, keep_blank_values=True, max_num_fields=50, errors="strict"
                )
            except ValueError:
                raise ParameterInvalid(Fault("query", "malformed", "can't be read")) from None
            if "%00" in given:
                self._refuse_nul(self._query)
        return self._query

    def _refuse_nul(self, queries: dict[str, list[str]]) -> None:
        for name, values in queries.items():
            if holds_nul(values):
                raise ParameterInvalid(Fault(name[:64], *NUL))


class _Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


_EMPTY: Final = msgspec.json.Decoder(_Nothing)


def parsed(data: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Raises: Malformed, Invalid."""
    try:
        if b"\\u0000" in data and holds_nul(msgspec.json.decode(data)):
            raise Invalid(Fault("", *NUL))
        found = _decoded(data, decoder)
        refuse_repeated(data)
        return found
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise Malformed from None


def _decoded(data: bytes, decoder: msgspec.json.Decoder[T]) -> T:
    """Raises: Invalid; also what decoding raises: a wrong shape may be seen before a broken end."""
    try:
        return decoder.decode(data)
    except msgspec.ValidationError as error:
        return _as_whole(data, decoder, error)


def _as_whole(data: bytes, decoder: msgspec.json.Decoder[T], error: msgspec.ValidationError) -> T:
    """Once more with 3.0 as the whole number it is to JSON Schema. Raises: Invalid."""
    given = msgspec.json.decode(data)
    whole = whole_numbers(given)
    if repr(whole) == repr(given):
        raise Invalid(fault_in(error, decoder.type))
    try:
        found: T = msgspec.convert(whole, decoder.type)
    except msgspec.ValidationError as wrong:
        raise Invalid(fault_in(wrong, decoder.type)) from None
    return found


def whole_numbers(value: Any) -> Any:
    """With 3.0 as the whole number it is to JSON Schema."""
    match value:
        case float():
            return int(value) if value.is_integer() and abs(value) < 2**53 else value
        case list():
            return [whole_numbers(each) for each in value]
        case dict():
            return {name: whole_numbers(each) for name, each in value.items()}
        case _:
            return value


def json(status: int, value: object, headers: tuple[Header, ...] = ()) -> Answer:
    return Answer(status, msgspec.json.encode(value), JSON, headers)


PRIVATE: Final[tuple[Header, ...]] = ((b"cache-control", b"private, no-cache"),)


def tagged(
    request: Request,
    tag: str,
    body: bytes,
    media: bytes = JSON,
    more: tuple[Header, ...] = PRIVATE,
) -> Answer:
    """A 200 under an ETag, or 304 if the caller has it. `tag` depends on public values alone."""
    headers = ((b"etag", f'"{tag}"'.encode()), *more)
    if is_known(request, tag):
        return Answer(304, headers=headers)
    return Answer(200, body, media, headers)


def is_known(request: Request, tag: str) -> bool:
    """Whether the caller has already what the tag stands for, so that no body need be made."""
    given = request.header(b"if-none-match")
    return given is not None and (given.strip() == "*" or f'"{tag}"' in _tags(given))


def preferred(request: Request, offered: tuple[bytes, ...]) -> bytes:
    """The offered media type the caller likes best; the first if it does not say.

    Raises: NotAcceptable.
    """
    accept = request.header(b"accept")
    if accept is None or (accept in ("*/*", "application/json", "") and offered[0] == JSON):
        return offered[0]
    weights = _weights(accept)
    best = max(offered, key=lambda media: _quality(weights, media))
    if _quality(weights, best) <= 0:
        names = ", ".join(media.decode().partition(";")[0] for media in offered)
        raise NotAcceptable(Fault("Accept", "unknown-value", f"given here: {names}"))
    return best


def holds_nul(value: object) -> bool:
    """However deep it is."""
    left = [value]
    while left:
        match left.pop():
            case str() as text if "\0" in text:
                return True
            case list() as listed:
                left += listed
            case dict() as named:
                left += named
                left += named.values()
    return False


def _weights(accept: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for each in accept.split(","):
        media, *parameters = (part.strip() for part in each.split(";"))
        quality = next((p[2:] for p in parameters if p.startswith("q=")), "1")
        try:
            weights[media.lower()] = float(quality)
        except ValueError:
            weights[media.lower()] = 0.0
    return weights


def _quality(weights: dict[str, float], media: bytes) -> float:
    name = media.decode().partition(";")[0]
    wide = name.partition("/")[0] + "/*"
    for known in (name, wide, "*/*"):
        if known in weights:
            return weights[known]
    return 0.0


def _tags(given: str) -> set[str]:
    return {each.strip().removeprefix("W/") for each in given.split(",")}


def _is_json(media: str) -> bool:
    return media.partition(";")[0].strip().lower() == "application/json"
