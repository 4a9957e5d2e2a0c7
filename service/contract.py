"""The OpenAPI document: prose and paths by hand, schemas from the types, joined when it is served.

`openapi/openapi.yaml` is the hand-written part; `openapi/schemas` and `openapi/games` are generated
by `make openapi` and kept in the repository, so that a change of a type shows as a difference.
"""

import re
import sys
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

import msgspec
import yaml

from games import registry
from service.errors import CODES, PROBLEM_JSON, Problem, Row
from service.graphql.schema import exported as exported_graph
from service.rest.described import REF, game_schemas, schemas
from service.wording import describe_schemas

Json = dict[str, Any]

EVERYWHERE: Final = ("invalid-parameter", "not-acceptable", "internal")
BEHIND_A_TOKEN: Final = ("unauthorized", "too-many-requests", "other-release", "unavailable")
_LIMITS: Final = ("RateLimit", "RateLimit-Policy")
_METHODS: Final = ("get", "post", "put", "patch", "delete")
_VALUES: Final = ("const", "default", "enum", "example", "examples")  # and no schemas
_HEADERS: Final = {
    401: ("WWW-Authenticate",),
    405: ("Allow",),
    415: ("Accept",),
    429: ("Retry-After",),
    503: ("Retry-After",),
}
_SOON: Final = "proof-not-ready"  # says when it will be, if that is known


def document() -> Json:
    """The whole document, of its installed parts."""
    whole = read("openapi.yaml")
    found = whole["components"]["schemas"] = joined_schemas(whole["components"]["schemas"])
    describe_schemas(found)
    for path in whole["paths"].values():
        for method in _METHODS:
            if method in path:
                _with_problems(path[method])
    _with_widths(whole)
    return whole


def joined_schemas(written: Json) -> Json:
    """The component schemas by name, with what is written about them and no other words."""
    generated = {name: msgspec.json.decode(data) for name, data in _generated_in(files("openapi"))}
    return dict(sorted(_joined(generated, written, "").items()))


@cache
def served() -> bytes:
    return msgspec.json.encode(document())


def async_document() -> Json:
    """What is sent without being asked for each time (AsyncAPI 3), with the schemas it names."""
    whole = read("asyncapi.yaml")
    known = document()["components"]["schemas"]
    found: Json = {}
    whole["components"]["schemas"] = found
    named = _named_in(whole)
    while new := named - set(found):
        found.update({name: known[name] for name in sorted(new)})
        named = _named_in(whole)
    return whole


@cache
def served_async() -> bytes:
    return msgspec.json.encode(async_document())


def exported() -> dict[str, bytes]:
    """Every generated file, by its path below openapi/."""
    found = {f"schemas/{name}.json": _printed(schema) for name, schema in schemas().items()}
    for package in registry.HOUSE:
        found[f"games/{package.GAME.slug}.json"] = _printed(game_schemas(package.GAME))
    return {**found, "schema.graphql": exported_graph()}


def problem_codes(operation: Json) -> list[str]:
    """What an operation of the hand-written part can be refused with, in the order of the table."""
    named = {*operation["x-problems"], *EVERYWHERE}
    if operation["security"]:
        named |= set(BEHIND_A_TOKEN)
    unknown = named - set(CODES)
    assert not unknown, f"{operation['operationId']}: there are no problems {sorted(unknown)}"
    return [code for code in CODES if code in named]


def main() -> None:
    """Write the generated files into the folder this package is in, and remove stale ones."""
    folder = Path(str(files("openapi")))
    wanted = exported()
    for kind in ("schemas", "games"):
        (folder / kind).mkdir(exist_ok=True)
        for path in (folder / kind).glob("*.json"):
            if f"{kind}/{path.name}" not in wanted:
                path.unlink()
    for name, data in wanted.items():
        (folder / name).write_bytes(data)
    document()
    sys.stdout.write(f"{len(wanted)} files in {folder.name}/\n")


def read(name: str) -> Json:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    whole: Json = yaml.load(files("openapi").joinpath(name).read_bytes(), loader)  # noqa: S506
    return whole


def _named_in(whole: Json) -> set[str]:
    """The schemas of components that are referred to."""
    text = msgspec.json.encode(whole).decode()
    return set(re.findall(f'"{REF}([A-Za-z0-9]+)"', text))


def _generated_in(folder: Traversable) -> list[tuple[str, bytes]]:
    found = folder.joinpath("schemas").iterdir()
    return [(each.name.removesuffix(".json"), each.read_bytes()) for each in found]


def _joined(generated: Any, written: Any, place: str) -> Any:
    """The generated schema with what is written about it; only its prose may be replaced."""
    assert isinstance(generated, dict), f"what is written contradicts the type at {place}"
    both = dict(generated)
    for name, value in written.items():
        if name == "description" or name not in both:
            both[name] = value
        else:
            both[name] = _joined(both[name], value, f"{place}/{name}")
    return both


def _with_widths(part: Any) -> None:
    """Generators of clients take 32 bits for a whole number that says nothing: so it says it."""
    match part:
        case {"type": "integer" | ["integer", "null"]}:
            bounds = part.get("minimum"), part.get("maximum")
            if not all(each is not None and abs(each) < 2**31 for each in bounds):
                part["format"] = "int64"
        case dict():
            for name, each in part.items():
                if name not in _VALUES:
                    _with_widths(each)
        case list():
            for each in part:
                _with_widths(each)


def _with_problems(operation: Json) -> None:
    """A response for each status that the operation's problems have."""
    codes = problem_codes(operation)
    del operation["x-problems"]
    by_status: dict[int, list[Row]] = {}
    for code in codes:
        by_status.setdefault(CODES[code].status, []).append(CODES[code])
    responses = operation["responses"]
    for status in sorted(by_status):
        responses[str(status)] = _refused(status, by_status[status])
    for response in (each for each in responses.values() if "$ref" not in each):
        headers = response.setdefault("headers", {})
        for name in ("X-Request-Id", *(_LIMITS if operation["security"] else ())):
            headers[name] = {"$ref": f"#/components/headers/{name}"}
        if len(responses.get("200", {}).get("content", ())) > 1:
            headers["Vary"] = {"$ref": "#/components/headers/Vary"}


def _refused(status: int, rows: list[Row]) -> Json:
    listed = "\n".join(f"- [`{row.code}`](/problems/{row.code}): {row.title}" for row in rows)
    media = {
        "schema": {"$ref": REF + "Problem"},
        "examples": {row.code: {"summary": row.title, "value": _example(row)} for row in rows},
    }
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in _HEADERS.get(status, ())}
    if _SOON in {row.code for row in rows}:
        headers["Retry-After"] = {"$ref": "#/components/headers/Retry-After-Over"}
    return {
        "description": f"{HTTPStatus(status).phrase}\n\n{listed}",
        "headers": headers,
        "content": {PROBLEM_JSON.decode(): media},
    }


def _example(row: Row) -> object:
    told = Problem(f"/problems/{row.code}", row.title, row.status, row.detail, row.code)
    return msgspec.to_builtins(told)


def _printed(schema: Json) -> bytes:
    return msgspec.json.format(msgspec.json.encode(schema), indent=2) + b"\n"
