"""The OpenAPI document: valid, whole, in step with the code, and honest in its examples."""

from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator

from games import registry
from service import contract
from service.errors import CODES
from service.pages import problem_page
from service.rest.routes import ENDPOINTS
from tests.service.contract_checks import (
    METHODS,
    Exchange,
    Undocumented,
    document_of,
    resolved,
    validator,
)

Json = dict[str, Any]

ROOT = Path(__file__).parents[2]
EXPORTED = contract.exported()


def operations() -> Iterator[tuple[str, str, Json]]:
    for path, item in contract.document()["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


OPERATIONS = list(operations())
EACH = pytest.mark.parametrize(
    "operation", [each for _, _, each in OPERATIONS], ids=lambda each: each["operationId"]
)


def test_the_document_is_valid() -> None:
    document = contract.document()
    assert document["openapi"].startswith("3.1.")
    assert list(OpenAPIV31SpecValidator(document).iter_errors()) == []


@pytest.mark.parametrize("name", EXPORTED)
def test_generated_files_are_as_committed(name: str) -> None:
    assert (ROOT / "openapi" / name).read_bytes() == EXPORTED[name], "run make openapi"


def test_no_generated_file_is_left_over() -> None:
    there = {
        f"{kind}/{path.name}"
        for kind in ("schemas", "games")
        for path in (ROOT / "openapi" / kind).iterdir()
    }
    assert {*there, "schema.graphql"} == set(EXPORTED)


def test_whole_numbers_that_may_need_it_have_64_bits() -> None:
    """Positions, times and versions: a generator may take 32 bits for what says nothing."""
    whole = contract.document()
    fields = {name: each.get("properties") for name, each in whole["components"]["schemas"].items()}
    wide = {"type": "integer", "format": "int64"}
    assert wide.items() <= fields["FeedEntry"]["position"].items()
    assert wide.items() <= fields["MatchDetail"]["created_at"].items()
    assert wide in fields["MatchDetail"]["reveal_by"]["anyOf"]
    assert "format" not in fields["MatchBody"]["seats"]
    after = resolved(whole["paths"]["/v1/feed"]["get"]["parameters"][0])
    assert (after["name"], after["schema"]["format"]) == ("after", "int64")
    assert {"type": "integer"} not in numbers(whole)


def numbers(part: Any) -> list[Json]:
    """Every schema of a whole number, without what is written beside type, format and bounds."""
    if isinstance(part, list):
        return [found for each in part for found in numbers(each)]
    if not isinstance(part, dict):
        return []
    if part.get("type") == "integer":
        kept = ("type", "format", "minimum", "maximum")
        return [{name: part[name] for name in kept if name in part}]
    return [
        found for name, each in part.items() if "example" not in name for found in numbers(each)
    ]


def test_every_game_has_its_schemas() -> None:
    slugs = {package.GAME.slug for package in registry.HOUSE}
    assert {name for name in EXPORTED if name.startswith("games/")} == {
        f"games/{slug}.json" for slug in slugs
    }


def test_every_route_is_documented_and_the_reverse() -> None:
    served = {(each.route, method) for each in ENDPOINTS for method in each.methods}
    assert {(path, method.upper()) for path, method, _ in OPERATIONS} == served


def test_path_parameters_are_those_of_the_routes() -> None:
    for path, item in contract.document()["paths"].items():
        named = {resolved(each)["name"] for each in item.get("parameters", ())}
        assert named == {part[1:-1] for part in path.split("/") if part.startswith("{")}


def test_every_answer_has_the_media_types_of_its_route() -> None:
    media = {each.route: {m.decode().partition(";")[0] for m in each.media} for each in ENDPOINTS}
    for path, _, operation in OPERATIONS:
        for status, response in operation["responses"].items():
            if status.startswith("2"):
                assert set(resolved(response).get("content", {})) <= media[path]


@EACH
def test_an_operation_is_described(operation: Json) -> None:
    for name in ("operationId", "summary", "description", "tags", "security"):
        assert name in operation
    assert not operation["summary"].endswith(".")
    assert operation["description"].strip().endswith((".", "whole."))
    tags = {tag["name"] for tag in contract.document()["tags"]}
    assert set(operation["tags"]) <= tags
    for parameter in operation.get("parameters", ()):
        assert resolved(parameter)["description"]


def test_a_body_of_which_nothing_is_needed_may_be_left_out() -> None:
    """A change says something, and what is erased is named."""
    schemas = contract.document()["components"]["schemas"]
    left_out, needed = set[bool](), set[bool]()
    for _, method, operation in operations():
        body = operation.get("requestBody", {})
        media = body.get("content", {}).get("application/json", {})
        if method != "post" or "$ref" not in media.get("schema", {}):
            continue
        schema = schemas[media["schema"]["$ref"].rpartition("/")[2]]
        needs_nothing = not schema.get("required") and operation["operationId"] != "eraseTexts"
        (left_out if needs_nothing else needed).add(body["required"])
    assert (left_out, needed) == ({False}, {True})


def test_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(set(names)) == len(names)


def documented_problems(operation: Json) -> set[str]:
    return {
        code
        for response in operation["responses"].values()
        for code in response.get("content", {}).get("application/problem+json", {})
        .get("examples", ())
    }  # fmt: skip


@EACH
def test_problems_stand_under_their_own_status(operation: Json) -> None:
    for status, response in operation["responses"].items():
        media = response.get("content", {}).get("application/problem+json")
        if media is not None:
            assert {CODES[code].status for code in media["examples"]} == {int(status)}
            assert all(f"/problems/{code}" in response["description"] for code in media["examples"])
        else:
            assert int(status) < 400


@EACH
def test_operations_behind_a_token_say_so(operation: Json) -> None:
    assert bool(operation["security"]) == ("unauthorized" in documented_problems(operation))


def test_every_problem_is_documented_and_has_a_page() -> None:
    of_operations = set().union(*(documented_problems(each) for _, _, each in OPERATIONS))
    of_graphql = {code for code in CODES if code.startswith("graphql-")}
    of_no_operation = {"method-not-allowed", "misdirected"}
    assert of_operations | of_no_operation == set(CODES) - of_graphql
    for code in CODES:
        text, _ = problem_page(code)
        assert len(text) > 20


def test_every_schema_is_used() -> None:
    text = contract.served().decode()
    names = contract.document()["components"]["schemas"]
    assert [name for name in names if f'"#/components/schemas/{name}"' not in text] == []


def test_every_schema_is_described() -> None:
    schemas = contract.document()["components"]["schemas"]
    assert [name for name in schemas if not schemas[name].get("description")] == []
    in_python = [name for name in schemas if "None" in schemas[name]["description"]]
    assert in_python == []


def examples() -> Iterator[tuple[str, Json, Any]]:
    """Every example: where, the schema, the value."""
    document = contract.document()
    for path, method, operation in OPERATIONS:
        place = f"{method} {path}"
        asked = resolved(operation["requestBody"]) if "requestBody" in operation else {}
        found = [asked, *(resolved(each) for each in operation["responses"].values())]
        for media_type, media in (m for each in found for m in each.get("content", {}).items()):
            if media_type.endswith("json"):
                assert media["examples"], place
            for name, example in media.get("examples", {}).items():
                yield f"{place} {name}", media["schema"], resolved(example)["value"]
        for parameter in (*document["paths"][path].get("parameters", ()),
                          *operation.get("parameters", ())):  # fmt: skip
            given = resolved(parameter)
            if "example" in given:
                yield f"{place} {given['name']}", given["schema"], given["example"]


@pytest.mark.parametrize(
    ("place", "schema", "value"), [pytest.param(*e, id=e[0]) for e in examples()]
)
def test_an_example_is_what_its_schema_says(place: str, schema: Json, value: Any) -> None:
    assert list(validator(msgspec.json.encode(schema)).iter_errors(value)) == []


def test_a_change_of_shape_is_caught() -> None:
    with pytest.raises(Undocumented, match="Additional"):
        exchanged("GET", "/livez", 200, b'{"status":"ok","since":1}')
    with pytest.raises(Undocumented, match="status"):
        exchanged("GET", "/livez", 200, b"{}")
    with pytest.raises(Undocumented, match="no such status"):
        exchanged("GET", "/livez", 418, b"{}")
    with pytest.raises(Undocumented, match="no header X-Request-Id"):
        exchanged("GET", "/livez", 200, b'{"status":"ok"}', request_id=False)
    with pytest.raises(Undocumented, match="media type"):
        exchanged("GET", "/livez", 200, b"ok", media="text/plain")
    exchanged("GET", "/livez", 200, b'{"status":"ok"}')


def test_a_change_of_a_stream_is_caught() -> None:
    path = "/v1/matches/0199c82c-e134-7a8b-a68f-4659d94628b4/events"
    seen = b'{"at":1,"kind":"match_started","version":4}'
    sse, lines = "text/event-stream", "application/x-ndjson"
    exchanged("GET", path, 200, b"id: 4\ndata: " + seen + b"\n\n", media=sse)
    exchanged("GET", path, 200, seen + b"\n\n", media=lines)
    with pytest.raises(Undocumented):
        exchanged("GET", path, 200, seen.replace(b"at", b"on") + b"\n", media=lines)
    with pytest.raises(Undocumented):
        exchanged("GET", path, 200, b"id: 4\nname: x\ndata: " + seen + b"\n\n", media=sse)


def exchanged(
    method: str, path: str, status: int, body: bytes, *,
    media: str = "application/json", request_id: bool = True,
) -> None:  # fmt: skip
    exchange = Exchange({"method": method, "path": path, "query_string": b""})
    headers = [(b"content-type", media.encode())]
    headers += [(b"x-request-id", b"1")] if request_id else []
    exchange.take({"type": "http.response.start", "status": status, "headers": headers})
    exchange.take({"type": "http.response.body", "body": body})


def test_the_written_part_cannot_contradict_a_type() -> None:
    with pytest.raises(AssertionError, match="/type"):
        contract._joined({"type": "integer"}, {"type": "string"}, "")


def test_the_document_is_a_part_of_the_package() -> None:
    assert files("openapi").joinpath("openapi.yaml").is_file()
    assert document_of()["info"]["title"] == "Plyscribe"
