"""Holds every exchange with an application in this process to the OpenAPI document."""

import re
from collections.abc import Iterator, MutableMapping
from functools import cache
from typing import Any
from urllib.parse import parse_qsl

import msgspec
from jsonschema_rs import Draft202012Validator, Registry

from service.app import App
from service.contract import document
from service.http import Receive, Scope, Send

Json = dict[str, Any]

DOCUMENT = "urn:plyscribe:openapi"
METHODS = ("get", "post", "put", "patch", "delete")
# What is asked may hold anything an offer says; what is told is described to the last member.
ASKED = {
    "MoveBody",
    "MatchBody",
    "ClaimBody",
    "IssuerBody",
    "IssuerChangeBody",
    "JwkSet",
    "KeyBody",
    "KeyChangeBody",
    "OrgBody",
    "RotationBody",
    "SpectatorBody",
    "TicketBody",
    "EntropyBody",
    "ResignBody",
    "SeatSigned",
}
LINES = {  # of streams, by path; all others are events
    "/v1/feed": "FeedEntry",
    "/v1/results": "ResultEntry",
    "/v1/batches/{batch}/results": "ResultEntry",
    "/v1/batches/{batch}/matches": "BatchMatch",
}
HOUSE_HEADERS = {
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
    "access-control-expose-headers",
    "access-control-max-age",
    "connection",
    "cache-control",
    "content-length",
    "content-security-policy",
    "content-type",
    "cross-origin-resource-policy",
    "referrer-policy",
    "vary",
    "x-accel-buffering",
    "x-content-type-options",
    "x-frame-options",
}

_serve = App.__call__


class Undocumented(AssertionError):
    """An exchange the document does not allow."""


async def checked_call(app: App, scope: Scope, receive: Receive, send: Send) -> None:
    """`App.__call__` with an eye on what is asked and answered. Raises: Undocumented."""
    if scope["type"] != "http":
        await _serve(app, scope, receive, send)
        return
    exchange = Exchange(scope)

    async def received() -> MutableMapping[str, Any]:
        message = await receive()
        exchange.asked += message.get("body", b"")
        return message

    async def sent(message: MutableMapping[str, Any]) -> None:
        exchange.take(message)
        await send(message)

    # Without what a server takes by another way than `send`.
    await _serve(app, {**scope, "extensions": {}}, received, sent)


class Exchange:
    """One request and its answer, as far as they have come."""

    def __init__(self, scope: Scope) -> None:
        self.asked = b""
        self._method: str = scope["method"]
        self._path: str = scope["path"]
        self._query = str(scope["query_string"], "latin-1")
        self._status = 0
        self._headers: dict[str, str] = {}
        self._told = b""
        self._response: Json = {}

    def take(self, message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._status = message["status"]
            self._headers = {a.decode().lower(): b.decode() for a, b in message["headers"]}
            self._response = self._documented()
            self._check_headers()
            return
        self._told += message.get("body", b"")
        if self._media in ("text/event-stream", "application/x-ndjson"):
            self._check_stream()
        elif not message.get("more_body"):
            self._check_body()
            self._check_asked()

    @property
    def _media(self) -> str:
        return self._headers.get("content-type", "").partition(";")[0]

    @property
    def _operation(self) -> Json | None:
        method = "get" if self._method == "HEAD" else self._method.lower()
        path = path_of(self._path)
        found: Json | None = None if path is None else document_of()["paths"][path].get(method)
        return found

    def _documented(self) -> Json:
        operation = self._operation
        if path_of(self._path) is None:
            if self._status == 404:
                return dict(
                    document_of()["paths"]["/docs/assets/{name}"]["get"]["responses"]["404"]
                )
        elif self._method == "OPTIONS":
            if self._status == 204:
                return _allowing(without_body=True)
        elif operation is None:
            if self._status == 405:
                return _allowing()
        elif str(self._status) in operation["responses"]:
            return resolved(operation["responses"][str(self._status)])
        raise self._wrong("no such status")

    def _check_headers(self) -> None:
        documented = self._response.get("headers", {})
        for name, reference in documented.items():
            header = resolved(reference)
            value = self._headers.get(name.lower())
            if value is None:
                if header.get("required"):
                    raise self._wrong(f"no header {name}")
            elif header["schema"].get("type") == "integer":
                self._check(int(value), header["schema"])
            else:
                self._check(value, header["schema"])
        strange = set(self._headers) - {name.lower() for name in documented} - HOUSE_HEADERS
        if strange:
            raise self._wrong(f"headers {sorted(strange)}")

    def _check_body(self) -> None:
        media = self._response.get("content", {})
        if self._method == "HEAD" or not media:
            if self._told:
                raise self._wrong("a body")
            return
        if self._media not in media:
            raise self._wrong(f"the media type {self._media}")
        if self._media.endswith("json"):
            told = msgspec.json.decode(self._told)
            self._check(told, media[self._media]["schema"])
            if self._media == "application/problem+json":
                self._check_problem(told, media[self._media]["examples"])

    def _check_problem(self, told: Json, documented: Json) -> None:
        if path_of(self._path) is not None and told["code"] not in documented:
            raise self._wrong(f"the problem {told['code']}")
        if told["status"] != self._status:
            raise self._wrong("another status in the problem")

    def _check_stream(self) -> None:
        """All that is whole of the stream so far."""
        end = b"\n\n" if self._media == "text/event-stream" else b"\n"
        *whole, self._told = self._told.split(end)
        for part in whole:
            for data in self._events_in(part.decode()):
                name = LINES.get(path_of(self._path) or "", "SeenOrLogged")
                if data.startswith('{"tag":'):
                    name = "Evidence"
                reference = {"$ref": f"#/components/schemas/{name}"}
                self._check(msgspec.json.decode(data), reference)

    def _events_in(self, part: str) -> Iterator[str]:
        if self._media == "application/x-ndjson":
            signed = part.removeprefix('{"evidence":')
            if part:
                yield part if signed == part else signed.removesuffix("}")
            return
        lines = [line.partition(": ") for line in part.split("\n")]
        fields = {name: value for name, _, value in lines}
        if not set(fields) <= {"", "id", "event", "data", "retry"}:
            raise self._wrong(f"fields {sorted(fields)}")
        if fields.get("event") == "end":
            assert msgspec.json.decode(fields["data"]) == {"version": int(fields["id"])}
        elif fields.get("event") == "head":
            yield fields["data"]
        elif "data" in fields:
            name = "position" if path_of(self._path) == "/v1/feed" else "version"
            assert msgspec.json.decode(fields["data"])[name] == int(fields["id"])
            yield fields["data"]

    def _check_asked(self) -> None:
        """What was accepted has to be what is documented."""
        operation, path = self._operation, path_of(self._path)
        if operation is None or path is None or self._status not in (200, 201):
            return
        of_path = document_of()["paths"][path].get("parameters", [])
        parameters = [resolved(each) for each in (*of_path, *operation.get("parameters", ()))]
        named = {each["name"] for each in parameters if each["in"] == "query"}
        given = {name for name, _ in parse_qsl(self._query, keep_blank_values=True)}
        if "parameters" in operation and given - named:
            raise self._wrong(f"the parameters {sorted(given - named)}")
        body = resolved(operation["requestBody"]) if "requestBody" in operation else {}
        if body and self.asked.strip():
            schema = body["content"]["application/json"]["schema"]
            self._check(msgspec.json.decode(self.asked), schema)

    def _check(self, value: Any, schema: Json) -> None:
        error = next(iter(validator(msgspec.json.encode(schema)).iter_errors(value)), None)
        if error is not None:
            place = "/".join(map(str, error.instance_path))
            raise self._wrong(f"/{place}: {error.message[:2000]}")

    def _wrong(self, what: str) -> Undocumented:
        return Undocumented(f"{self._method} {self._path} answers {self._status}: {what}")


@cache
def document_of() -> Json:
    """The document with everything that is told closed: no member that is not described."""
    whole = document()
    schemas = whole["components"]["schemas"]
    for name in set(schemas) - ASKED:
        _close(schemas[name])
    return whole


@cache
def validator(schema: bytes) -> Draft202012Validator:
    """Of a schema in the document, given as JSON."""
    return Draft202012Validator(
        _absolute(msgspec.json.decode(schema)), registry=_registry(), validate_formats=True
    )


@cache
def _registry() -> Registry:
    return Registry([(DOCUMENT, document_of())])


def resolved(value: Json) -> Json:
    """What a reference into the document stands for, or the value itself."""
    while "$ref" in value:
        found: Any = document_of()
        for step in value["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        value = found
    return value


@cache
def path_of(path: str) -> str | None:
    """The documented path that an address is of; one written out before one with parameters."""
    return next((template for template, shape in _shapes() if shape.fullmatch(path)), None)


@cache
def _shapes() -> list[tuple[str, re.Pattern[str]]]:
    """Every documented path and what its addresses look like, in the order they are tried in."""
    found = []
    for template in sorted(document_of()["paths"], key=lambda each: each.replace("{", "~")):
        pattern = re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template.replace("{tile}", "~")))
        pattern = pattern.replace(re.escape("~"), ".+")  # the one parameter that takes slashes
        found.append((str(template), re.compile(pattern)))
    return found


def _allowing(*, without_body: bool = False) -> Json:
    found: Json = document_of()["components"]["responses"]["MethodNotAllowed"]
    return {**found, "content": {}} if without_body else found


def _close(schema: Any) -> None:
    if isinstance(schema, list):
        for each in schema:
            _close(each)
    elif isinstance(schema, dict):
        if isinstance(schema.get("properties"), dict):
            schema.setdefault("additionalProperties", False)
        for each in schema.values():
            _close(each)


def _absolute(schema: Any) -> Any:
    match schema:
        case {"$ref": str(target), **rest} if target.startswith("#"):
            return {**rest, "$ref": DOCUMENT + target}
        case dict():
            return {name: _absolute(value) for name, value in schema.items()}
        case list():
            return [_absolute(each) for each in schema]
        case _:
            return schema
