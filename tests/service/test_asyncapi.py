"""The AsyncAPI document: every part there and referred to rightly, honest in its examples."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from graphql import build_schema
from jsonschema import Draft202012Validator

from service import contract
from service.rest.routes import ENDPOINTS
from service.webhooks.messages import WebhookEvent
from service.webhooks.news import MatchNews
from service.webhooks.rows import TEST, EventType
from tests.service.conftest import Door

Json = dict[str, Any]

DOCUMENT = contract.async_document()
MESSAGES = DOCUMENT["components"]["messages"]


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


def references(value: Any) -> Iterator[str]:
    match value:
        case {"$ref": str(target)}:
            yield target
        case dict():
            for each in value.values():
                yield from references(each)
        case list():
            for each in value:
                yield from references(each)


def resolved(reference: str) -> Any:
    assert reference.startswith("#/")
    found: Any = DOCUMENT
    for part in reference[2:].split("/"):
        found = found[part]
    return resolved(found["$ref"]) if "$ref" in found else found


def test_it_has_the_parts_of_the_third_version() -> None:
    assert DOCUMENT["asyncapi"] == "3.0.0"
    assert {"title", "version"} <= set(DOCUMENT["info"])
    known = {"asyncapi", "id", "info", "servers", "defaultContentType", "channels", "operations"}
    assert set(DOCUMENT) <= {*known, "components"}
    for server in DOCUMENT["servers"].values():
        assert {"host", "protocol"} <= set(server)
        assert "/" not in server["host"]
    for channel in DOCUMENT["channels"].values():
        assert set(channel) <= {
            *("address", "messages", "title", "summary", "description"),
            *("servers", "parameters", "tags", "externalDocs", "bindings"),
        }
        named = {part.split("}")[0] for part in channel["address"].split("{")[1:]}
        assert named == set(channel.get("parameters", {}))


def test_every_reference_leads_somewhere() -> None:
    found = list(references(DOCUMENT))
    assert found
    for each in found:
        assert resolved(each)


def test_operations_are_of_channels_and_their_messages() -> None:
    used = set()
    for operation in DOCUMENT["operations"].values():
        assert operation["action"] in ("send", "receive")
        channel = operation["channel"]["$ref"]
        assert channel.startswith("#/channels/")
        for each in operation["messages"]:
            assert each["$ref"].startswith(channel + "/messages/")
            used.add(each["$ref"])
    listed = {
        f"#/channels/{name}/messages/{message}"
        for name, channel in DOCUMENT["channels"].items()
        for message in channel["messages"]
    }
    assert used == listed


def test_servers_of_channels_are_servers() -> None:
    for channel in DOCUMENT["channels"].values():
        for each in channel["servers"]:
            assert each["$ref"].startswith("#/servers/")


@pytest.mark.parametrize("name", MESSAGES)
def test_examples_are_what_the_schemas_say(name: str) -> None:
    message = MESSAGES[name]
    assert message["examples"]
    for example in message["examples"]:
        for part in ("payload", "headers"):
            if part in message:
                assert list(validator(message[part]).iter_errors(example[part])) == []
                assert list(validator(message[part]).iter_errors(None))


def validator(schema: Json) -> Draft202012Validator:
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator({**schema, "components": DOCUMENT["components"]})


def test_schemas_are_those_of_the_openapi_document_and_no_more() -> None:
    known = contract.document()["components"]["schemas"]
    schemas = DOCUMENT["components"]["schemas"]
    assert all(known[name] == schema for name, schema in schemas.items())
    named = {each.rpartition("/")[2] for each in references(DOCUMENT) if "/schemas/" in each}
    assert named == set(schemas)


def test_streams_have_the_addresses_that_are_served() -> None:
    routes = {each.route for each in ENDPOINTS} | {"/graphql"}
    own = {each["address"] for name, each in DOCUMENT["channels"].items() if name != "webhook"}
    assert own <= routes


def test_subscriptions_are_those_of_the_graph() -> None:
    schema = build_schema(contract.exported()["schema.graphql"].decode())
    assert schema.subscription_type is not None
    prose = DOCUMENT["channels"]["subscriptions"]["description"]
    assert all(f"`{name}(" in prose for name in schema.subscription_type.fields)


def test_headers_of_webhooks_are_those_of_the_openapi_document() -> None:
    post = contract.document()["webhooks"]["match"]["post"]
    asked = {each["name"]: each["schema"] for each in post["parameters"]}
    assert asked == MESSAGES["webhookEvent"]["headers"]["properties"]


def test_the_body_decodes_as_its_type() -> None:
    example = MESSAGES["webhookEvent"]["examples"][0]["payload"]
    event = msgspec.convert(example, WebhookEvent)
    assert msgspec.convert(event.data, MatchNews).status == "over"


async def test_it_is_served(door: Door) -> None:
    got = await door.http.get("/asyncapi.json")
    assert (got.status_code, got.json()) == (200, DOCUMENT)
    tag = {"If-None-Match": got.headers["etag"]}
    assert (await door.http.get("/asyncapi.json", headers=tag)).status_code == 304


def test_every_type_of_a_webhook_is_named_here_and_in_the_guide() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "webhooks.md").read_text("utf-8")
    said = DOCUMENT["channels"]["webhook"]["description"]
    for kind in (*EventType, TEST):
        assert f"`{kind}`" in said, kind
        assert f"`{kind}`" in guide, kind
