"""What a value of the wrong shape is told: where it is, and what would be taken there."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from events.types import Start
from service import contract
from service.callers import Scope
from service.faulting import fault_in
from service.rest.bodies import KeyBody, OrgBody
from service.rest.dispute_bodies import RulingRequest
from service.rest.hook_bodies import WebhookBody, WebhookChangeBody
from service.rest.inputs import MatchBody, MoveBody
from service.webhooks.rows import EventType

Json = dict[str, Any]

ASKED_ONLY: Json = {"url": "https://play.example.org/"}


def fault(kind: Any, given: Any, prefix: str = "") -> tuple[str, str, str]:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.convert(given, kind)
    found = fault_in(caught.value, kind, prefix)
    return found.pointer, found.code, found.detail


def one_of(values: Any) -> str:
    return "has to be one of " + ", ".join(map(str, values))


@pytest.mark.parametrize("kind", [WebhookBody, WebhookChangeBody])
def test_the_values_of_an_enum_are_named(kind: Any) -> None:
    found = fault(kind, {**ASKED_ONLY, "types": ["result.final", "match.bogus"]})
    assert found == ("/types/1", "wrong-shape", one_of(EventType))
    found = fault(KeyBody, {"name": "x", "scopes": ["bogus"]}, "/key")
    assert found == ("/key/scopes/0", "wrong-shape", one_of(Scope))
    found = fault(MatchBody, {"game": "x", "seats": 2, "start": "bogus"})
    assert found == ("/start", "wrong-shape", one_of(Start))


def test_the_kinds_of_a_union_are_named() -> None:
    pointer, code, detail = fault(RulingRequest, {"ruling": {"type": "bogus"}, "reason": "x"})
    assert (pointer, code) == ("/ruling/type", "wrong-shape")
    kinds = "note rewind redraw replace_seat adjust_clock force_move forfeit set_result void replay"
    assert detail == one_of(kinds.split())
    clock = {"time": {"type": "bogus"}}
    pointer, _, detail = fault(MatchBody, {"game": "x", "seats": 2, "clock": clock})
    assert pointer == "/clock/time/type"
    assert detail == one_of(["per_move", "correspondence", "fischer", "bronstein", "delay"])


def test_what_is_missing_is_pointed_at() -> None:
    there = ("missing", "has to be there")
    assert fault(RulingRequest, {"reason": "x"}) == ("/ruling", *there)
    assert fault(RulingRequest, {"ruling": {}, "reason": "x"}) == ("/ruling/type", *there)
    forced = {"ruling": {"type": "force_move"}, "reason": "x"}
    assert fault(RulingRequest, forced) == ("/ruling/seat", *there)


def test_a_form_is_told_in_words() -> None:
    for kind, given, pointer in (
        (OrgBody, {"id": "The Club"}, "/id"),
        (WebhookBody, {**ASKED_ONLY, "games": ["Chess"]}, "/games/0"),
        (WebhookChangeBody, {"games": ["chess", "Go"]}, "/games/1"),
        (MoveBody, {"decision": "first", "move": {}}, "/decision"),
    ):
        place, code, detail = fault(kind, given)
        assert (place, code, detail[:10]) == (pointer, "wrong-shape", "has to be ")
        assert not set("^\\{") & set(detail), detail


def test_no_form_is_without_words() -> None:
    """Of what requests may say: a caller is never shown an expression of the program."""
    files = [data for name, data in contract.exported().items() if name.endswith(".json")]
    forms = [each for data in files for each in _forms(msgspec.json.decode(data))]
    assert len(forms) > 8
    assert [each for each in forms if not each.get("description")] == []


def test_other_faults_are_as_they_were() -> None:
    found = fault(WebhookBody, {"url": 3})
    assert found == ("/url", "wrong-shape", "Expected `str`, got `int`")
    assert fault(WebhookBody, {**ASKED_ONLY, "x": 1}) == (
        "/x",
        "unknown-field",
        "is not known here",
    )
    assert fault(WebhookBody, [])[:2] == ("", "wrong-shape")
    found = fault(dict[str, tuple[int, Start]], {"a": [1, "bogus"]})
    assert found[2] == one_of(Start)


def _forms(schema: Any) -> Iterator[Json]:
    match schema:
        case dict():
            if isinstance(schema.get("pattern"), str):
                yield schema
            for each in schema.values():
                yield from _forms(each)
        case list():
            for each in schema:
                yield from _forms(each)
