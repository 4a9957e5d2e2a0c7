"""Following a log from outside: what goes on, and what does not go together."""

import msgspec
import pytest

from events import merkle
from events.canonical import canonical, decoded
from events.monitor import (
    Contradiction,
    Known,
    continued,
    grown,
    introduced,
    leaf_of,
    placed,
)
from events.notes import Checkpoint
from events.signing import Purpose, SigningKey, new_key, sign
from events.statements import TAG
from tests.events.bundled import KEY, ORIGIN, OTHER_KEY

LEAVES = [f"leaf {number}".encode() for number in range(40)]
HASHES = [merkle.leaf_hash(each) for each in LEAVES]
START = Known(ORIGIN, (KEY.public.public.hex(),))
MATCH = "01890a5d-ac96-774b-bcce-b302099a8057"


def at(size: int, hashes: list[bytes] = HASHES) -> Checkpoint:
    return Checkpoint(ORIGIN, size, merkle.over(hashes[:size]))


@pytest.mark.parametrize("first", range(18))
def test_a_log_that_grows_is_followed_from_any_size_to_any_other(first: int) -> None:
    known = grown(START, at(first), "", HASHES[:first])
    for size in range(first, 40):
        assert grown(known, at(size), "note", HASHES[first:size]).root == at(size).root


def test_another_past_a_shorter_log_and_another_name_are_contradictions() -> None:
    known = grown(START, at(9), "", HASHES[:9])
    for place in range(9):
        other = [*HASHES[:place], HASHES[39], *HASHES[place + 1 :]]
        with pytest.raises(Contradiction, match="does not continue"):
            grown(known, at(20, other), "", HASHES[9:20])
    with pytest.raises(Contradiction, match="had 9 leaves, now it has 8"):
        grown(known, at(8), "", [])
    with pytest.raises(Contradiction, match="does not continue"):
        grown(known, at(9, [HASHES[1], *HASHES[1:]]), "", [])
    with pytest.raises(Contradiction, match="was called"):
        grown(known, msgspec.structs.replace(at(9), origin="log.example/x"), "", [])


def test_an_entry_is_at_its_place_or_it_is_not_in_the_log() -> None:
    placed(HASHES[9:20], 9, 10, LEAVES[9])
    for position, leaf in ((10, LEAVES[10]), (9, LEAVES[8]), (21, LEAVES[20]), (11, b"")):
        with pytest.raises(Contradiction):
            placed(HASHES[9:20], 9, position, leaf)


def entry(first: int, last: int, before: str, head: str) -> dict[str, object]:
    told = {"position": 1, "external_id": None, "status": "running", "match_id": MATCH}
    return {**told, "first": first, "last": last, "before": before, "head": head}


def test_the_entries_of_a_match_continue_each_other() -> None:
    known, limit = continued(START, entry(1, 4, "00", "aa"))
    assert limit == ""
    known, _ = continued(known, entry(5, 5, "aa", "bb"))
    assert known.matches == {MATCH: (5, "bb")}
    for wrong in (entry(6, 6, "aa", "cc"), entry(5, 6, "aa", "cc"), entry(1, 9, "00", "cc")):
        with pytest.raises(Contradiction):
            continued(known, wrong)
    _, limit = continued(known, entry(8, 9, "cc", "dd"))
    assert limit == f"match {MATCH}: events 6 to 7 were not told"


def test_a_leaf_is_made_of_what_the_feed_tells() -> None:
    told = decoded(leaf_of(entry(1, 4, "00", "aa")))
    assert (told["head_before"], told["head_after"], told["kind"]) == ("00", "aa", "match")


def statement(key: SigningKey, by: SigningKey) -> dict[str, object]:
    leaf = key.public.introduction()
    signed = sign(by, TAG, leaf)
    place = {"position": 3, "statement": decoded(leaf)}
    return {**place, "kid": signed.kid, "signature": signed.signature}


def test_a_new_key_is_trusted_if_a_trusted_one_vouches_for_it() -> None:
    known = introduced(START, [statement(OTHER_KEY, by=KEY)])
    assert known.keys == (KEY.public.public.hex(), OTHER_KEY.public.public.hex())
    assert introduced(known, [statement(OTHER_KEY, by=KEY)]) == known
    assert introduced(START, [statement(OTHER_KEY, by=OTHER_KEY)]) == START
    receipts = new_key(Purpose.RECEIPTS, bytes(32), 1)
    assert introduced(START, [statement(receipts, by=KEY)]) == START


def test_what_is_known_is_kept_as_json() -> None:
    known = grown(START, at(9), "note", HASHES[:9])
    assert msgspec.json.decode(canonical(known), type=Known) == known
