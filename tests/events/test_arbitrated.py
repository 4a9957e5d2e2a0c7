"""Every change of what is signed in an arbiter's bundle is found, whoever made its manifest fit."""

from random import Random

import pytest

from events.bundle import REFUSALS, STATEMENTS
from events.verify_bundle import verify_bundle
from events.verify_signed import NO_KEY
from tests.events.arbitrated import FIRST_KEY, SIGNED, of, refused
from tests.events.bundled import forged, members, table
from tests.events.scripted import Table

GAMES = ("high_card", "ambition_tricks")


@pytest.fixture(params=GAMES)
def at(request: pytest.FixtureRequest) -> Table:
    return table(request.param)


def test_it_is_sound_for_who_trusts_the_first_key(at: Table) -> None:
    found = verify_bundle(of(at), FIRST_KEY)
    assert (found.fault, found.unchecked) == (None, ())
    assert {"proof", "refusals"} <= set(found.checked)
    assert found.bundle is not None
    assert len(found.bundle.refusals) == len(refused(at)) == 4


@pytest.mark.parametrize("name", SIGNED)
def test_a_flip_of_any_byte_is_found(at: Table, name: str) -> None:
    data, rng = of(at), Random(name)
    content = members(data)[name]
    for place in rng.sample(range(len(content)), 24):
        bad = content[:place] + bytes([content[place] ^ 1 << rng.randrange(8)])
        changed = forged(data, {name: bad + content[place + 1 :]})
        assert verify_bundle(changed, FIRST_KEY).fault is not None, (name, place)


@pytest.mark.parametrize("name", SIGNED[:2])
def test_a_line_left_out_doubled_or_moved_is_found(at: Table, name: str) -> None:
    data = of(at)
    lines = members(data)[name].splitlines(keepends=True)
    for place in range(len(lines)):
        rest = [*lines[:place], *lines[place + 1 :]]
        for changed in (rest, [*lines, lines[place]], [*rest, lines[place]]):
            if changed == lines:
                continue
            if name == REFUSALS and changed == rest and _ends_a_seat(at, place):
                continue  # Of a seat the last: nobody can tell that it was there.
            found = verify_bundle(forged(data, {name: b"".join(changed)}), FIRST_KEY)
            # Who is not told of the key for receipts can't tell whose refusals they are.
            is_open = name == STATEMENTS and changed == rest and found.unchecked == (NO_KEY,)
            assert found.fault is not None or is_open, (name, place)


def _ends_a_seat(at: Table, place: int) -> bool:
    said = refused(at)
    return place + 1 == len(said) or said[place + 1].seat != said[place].seat


@pytest.mark.parametrize("name", SIGNED)
def test_none_of_it_can_be_taken_out_alone(at: Table, name: str) -> None:
    changed = forged(of(at), {name: None})
    found = verify_bundle(changed, FIRST_KEY)
    assert found.fault is not None, name
