"""The component table and the options: what is refused, and with which words."""

import json
from typing import Any

import msgspec
import pytest

from games.ambition_characters import GAME, make
from games.ambition_characters.characters import TableRefused
from games.ambition_characters.state import Options
from games.core.game import OptionsRefused
from games.registry import tables_of


def table() -> dict[str, Any]:
    content: dict[str, Any] = json.loads(tables_of(GAME.slug, GAME.data_digest))
    return content


def refusal(content: dict[str, Any]) -> str:
    with pytest.raises(TableRefused) as refused:
        make(json.dumps(content).encode())
    return str(refused.value)


def test_a_table_needs_every_character_once() -> None:
    content = table()
    lost = content["characters"].pop()
    assert refusal(content) == "characters: no row for WIZARD"
    content["characters"] += [lost, lost]
    assert refusal(content) == "characters: a character has two rows"


def test_a_row_that_cannot_be_read_is_named() -> None:
    content = table()
    content["characters"][0]["parts"][0]["colour"] = "red"
    assert "colour" in refusal(content)
    assert "characters" in refusal({})


def test_gains_and_thefts_belong_to_their_parts() -> None:
    content = table()
    content["characters"][0]["parts"][0]["gain"] = 0
    assert refusal(content).startswith("ACTOR/coin: `gain`")
    content = table()
    content["characters"][0]["parts"][1]["times"] = 1
    assert refusal(content).startswith("ACTOR/swap: `times`")


def test_a_power_names_no_part_twice() -> None:
    content = table()
    content["characters"][0]["parts"].append({"name": "swap"})
    assert refusal(content) == "ACTOR: a part is named twice"
    content = table()
    del content["characters"][7]["late"]["base"]
    assert refusal(content) == "KNIGHT: `late` names both editions or is left out"


def test_other_tables_make_another_game() -> None:
    content = table()
    content["characters"][6]["parts"][0]["gain"] = 4
    other = make(json.dumps(content).encode())
    assert other.data_digest != GAME.data_digest
    assert make(tables_of(GAME.slug, GAME.data_digest)).data_digest == GAME.data_digest


@pytest.mark.parametrize(
    ("pointer", "wire", "seats"),
    [
        ("/seats", {}, 1),
        ("/seats", {"extended_players": True}, 7),
        ("/strange_allies", {"extended_players": True, "strange_allies": False}, 5),
        ("/removed_cards", {"removed_cards": 4}, 3),
        ("/removed_cards", {"removed_cards": 0}, 3),
        ("/first_player", {"first_player": 3}, 3),
        ("/first_player", {"first_player": -1}, 3),
        ("/round_limit", {"round_limit": 0}, 3),
        ("/round_limit", {"round_limit": 501}, 3),
    ],
)
def test_options_outside_the_table_are_refused(
    pointer: str, wire: dict[str, object], seats: int
) -> None:
    options = msgspec.convert(wire, Options)
    with pytest.raises(OptionsRefused) as refused:
        GAME.new(options, seats)
    assert refused.value.pointer == pointer


def test_unknown_values_do_not_decode() -> None:
    for wire in ({"silence_scope": "none"}, {"first_player": "left"}, {"seats": 3}):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert(wire, Options)


def test_the_bound_is_seven_moves_a_seat_and_round() -> None:
    assert GAME.bound(Options(), 3) is None
    assert GAME.bound(Options(round_limit=10), 3) == 210
