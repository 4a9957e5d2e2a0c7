"""Schemas: old bodies are brought up to date, unknown ones refused with version and kind."""

from collections.abc import Iterator
from typing import Any, get_args

import msgspec
import msgspec.inspect
import pytest

from events.canonical import canonical, decoded
from events.match import decode, fold
from events.schema import NEWEST, UPCASTS, UnknownSchema, upcast
from events.types import Event, Record
from tests.events.scripted import finished

PLAYED = finished("high_card", 2)


def record(kind: str, schema: int, body: bytes) -> Record:
    return Record(9, kind, schema, 5, body, b"", b"", b"")


def test_every_kind_has_a_newest_schema() -> None:
    assert set(NEWEST) == {each.__struct_config__.tag for each in get_args(Event)}
    assert all(schema >= 1 for schema in NEWEST.values())


def test_there_is_an_upcast_for_every_older_schema() -> None:
    older = {(kind, n) for kind, newest in NEWEST.items() for n in range(1, newest)}
    assert set(UPCASTS) == older


@pytest.mark.parametrize(
    ("kind", "schema"),
    [("match_exploded", 1), ("seat_claimed", 2), ("seat_claimed", 0), ("seat_claimed", -1)],
)
def test_an_unknown_kind_or_schema_is_never_skipped(kind: str, schema: int) -> None:
    body = canonical({"kind": kind, "schema": schema, "version": 9, "at": 5, "seat": 0})
    with pytest.raises(UnknownSchema) as error:
        decode(record(kind, schema, body))
    assert (error.value.version, error.value.kind, error.value.schema) == (9, kind, schema)
    assert str(error.value) == f"event 9: {kind} schema {schema} is not known here"


def test_no_event_has_a_field_that_would_be_passed_over() -> None:
    """Nor has anything in an event: what is not known here may change what it means."""
    forms = list(_structs(msgspec.inspect.type_info(Event)))
    assert len(forms) > len(get_args(Event))
    assert [form.cls for form in forms if not form.forbid_unknown_fields] == []
    claimed = {"kind": "seat_claimed", "schema": 1, "version": 9, "at": 5, "seat": 0}
    body = canonical({**claimed, "holder": "x", "colour": "red"})
    with pytest.raises(UnknownSchema, match="event 9"):
        decode(record("seat_claimed", 1, body))


def test_a_body_that_is_wrong_is_of_no_newer_release() -> None:
    body = canonical({"kind": "seat_claimed", "schema": 1, "version": 9, "at": 5, "seat": "0"})
    with pytest.raises(msgspec.ValidationError):
        decode(record("seat_claimed", 1, body))


def _structs(form: msgspec.inspect.Type) -> Iterator[msgspec.inspect.StructType]:
    if isinstance(form, msgspec.inspect.StructType):
        yield form
        for field in form.fields:
            yield from _structs(field.type)
    for inner in getattr(form, "types", getattr(form, "item_types", ())):
        yield from _structs(inner)
    if hasattr(form, "item_type"):
        yield from _structs(form.item_type)


def test_folding_stops_at_an_unknown_event() -> None:
    newer = msgspec.structs.replace(PLAYED.records[4], schema=2)
    with pytest.raises(UnknownSchema, match="event 5"):
        fold([*PLAYED.records[:4], newer])


def test_upcasts_are_applied_one_after_the_other_and_the_schema_stays_as_stored() -> None:
    def named(body: dict[str, Any]) -> dict[str, Any]:
        return {"holder" if name == "who" else name: value for name, value in body.items()}

    def loud(body: dict[str, Any]) -> dict[str, Any]:
        return {**body, "holder": body["holder"].upper()}

    table = {("seat_claimed", 1): named, ("seat_claimed", 2): loud}
    body = canonical({"kind": "seat_claimed", "schema": 1, "version": 9, "who": "ann"})
    made = upcast(9, "seat_claimed", 1, body, table)
    assert decoded(made) == {"kind": "seat_claimed", "schema": 1, "version": 9, "holder": "ANN"}
    second = canonical({"kind": "seat_claimed", "schema": 2, "version": 9, "holder": "ann"})
    assert decoded(upcast(9, "seat_claimed", 2, second, table))["holder"] == "ANN"
    with pytest.raises(UnknownSchema):
        upcast(9, "seat_claimed", 4, second, table)
