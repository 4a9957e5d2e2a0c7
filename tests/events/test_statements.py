"""Keys followed offline through the statements of the log, from one that somebody trusts."""

from collections.abc import Iterable
from typing import Any

import pytest

from events.bundle import KEYS, PROOF, STATEMENTS, key_set
from events.canonical import canonical, raw
from events.signing import KeySet, PublicKey, Purpose, SigningKey, new_key, sign
from events.statements import (
    INTRODUCED,
    TAG,
    Fork,
    Statement,
    first_key,
    followed,
    line,
    statements_in,
)
from events.trust import Trusted
from events.verify_bundle import Checked, verify_bundle
from games.core.game import ALL, SPECTATOR
from tests.events.bundled import KEY, ORIGIN, OTHER_KEY, bundled, forged, members, proof, table
from tests.events.refused import RECEIPTS
from tests.events.scripted import NOON

THIRD: SigningKey = new_key(Purpose.CHECKPOINTS, bytes(range(3, 35)), NOON + 2)
MINUTE = 60_000
HOUR = 60 * MINUTE


def stated(position: int, leaf: bytes, by: SigningKey) -> Statement:
    signed = sign(by, TAG, leaf)
    return Statement(signed.kid, position, signed.signature, raw(_decoded(leaf)))


def _decoded(leaf: bytes) -> Any:
    from events.canonical import decoded

    return decoded(leaf)


def introduction(position: int, key: SigningKey, by: SigningKey, at: int = NOON) -> Statement:
    made = _decoded(key.public.introduction())
    return stated(position, canonical({**made, "at": at}), by)


def retirement(position: int, key: SigningKey, by: SigningKey, at: int) -> Statement:
    told = {"at": at, "kid": key.public.kid, "kind": "key_retired"}
    return stated(position, canonical({**told, "purpose": key.public.purpose}), by)


FIRST = introduction(2, KEY, KEY)
RECEIPT_KEY = introduction(1, RECEIPTS, KEY)  # The first keys stand in any order.
SECOND = introduction(3, OTHER_KEY, KEY)
GONE = retirement(4, KEY, KEY, NOON + MINUTE)
LATER = introduction(5, THIRD, OTHER_KEY, NOON + HOUR)
ALL_OF_THEM = [RECEIPT_KEY, FIRST, SECOND, GONE, LATER]


def kids(*keys: SigningKey) -> set[str]:
    return {each.public.kid for each in keys}


def known(*statements: Statement, by: SigningKey = KEY) -> set[str]:
    return {each.kid for each in followed([by.public], statements)}


def test_keys_are_followed_from_one_that_is_trusted() -> None:
    assert known(*ALL_OF_THEM) == kids(KEY, OTHER_KEY, THIRD, RECEIPTS)
    assert known(*reversed(ALL_OF_THEM)) == known(*ALL_OF_THEM)
    assert known(SECOND, LATER, by=OTHER_KEY) == kids(OTHER_KEY, THIRD)
    assert known(*ALL_OF_THEM, by=THIRD) == kids(THIRD), "nobody vouches backwards"
    assert known(FIRST, LATER) == kids(KEY), "who vouches for the third key is not known"
    (own,) = first_key(ALL_OF_THEM)
    assert own.kid == KEY.public.kid
    (retired, *_) = followed([KEY.public], ALL_OF_THEM)
    assert retired.retired_at == NOON + MINUTE


def test_a_key_that_is_retired_vouches_for_nobody_any_more() -> None:
    late = introduction(6, THIRD, KEY, NOON + HOUR)
    assert known(FIRST, SECOND, GONE, late) == kids(KEY, OTHER_KEY)
    in_time = introduction(6, THIRD, KEY, NOON + MINUTE)
    assert known(FIRST, SECOND, GONE, in_time) == kids(KEY, OTHER_KEY, THIRD)


def test_what_a_later_round_says_counts_in_the_order_of_its_positions() -> None:
    by_third = [introduction(1, OTHER_KEY, THIRD), introduction(3, RECEIPTS, THIRD, NOON + HOUR)]
    gone = retirement(2, THIRD, OTHER_KEY, NOON + MINUTE)
    assert known(introduction(4, THIRD, KEY), gone, *by_third) == kids(KEY, OTHER_KEY, THIRD)


def test_no_key_of_another_purpose_vouches_for_anybody() -> None:
    assert known(RECEIPT_KEY, introduction(3, THIRD, RECEIPTS)) == kids(KEY, RECEIPTS)


def test_a_statement_that_was_touched_says_nothing() -> None:
    told = {**_decoded(bytes(SECOND.statement)), "at": NOON + 1}
    forged_ = Statement(SECOND.kid, 3, SECOND.signature, raw(told))
    assert known(forged_) == kids(KEY)
    other = {**_decoded(bytes(SECOND.statement)), "kid": THIRD.public.kid}
    assert known(stated(3, canonical(other), KEY)) == kids(KEY), "the id is the key's own"


def test_two_things_said_in_one_place_are_a_fork() -> None:
    with pytest.raises(Fork):
        known(SECOND, introduction(3, THIRD, KEY))
    assert known(SECOND, SECOND) == kids(KEY, OTHER_KEY)
    assert known(SECOND, introduction(3, THIRD, THIRD)) == kids(KEY, OTHER_KEY), "a stranger's"


def test_many_statements_are_looked_at_a_bounded_number_of_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each key is introduced by the one that stands behind it: as many rounds as there are keys."""
    keys = [
        new_key(Purpose.CHECKPOINTS, number.to_bytes(32, "big"), NOON) for number in range(1, 121)
    ]
    chain = [
        introduction(1000 - number, key, by)
        for number, (by, key) in enumerate(zip([KEY, *keys], keys, strict=False))
    ]
    put_in_sets, checked_by_key = 0, 0

    class Counted(KeySet):
        def __init__(self, known: Iterable[PublicKey]) -> None:
            nonlocal put_in_sets
            listed = list(known)
            put_in_sets += len(listed)
            super().__init__(listed)

        def verify(self, *given: Any, **more: Any) -> PublicKey:
            nonlocal checked_by_key
            checked_by_key += 1
            return super().verify(*given, **more)

    monkeypatch.setattr("events.statements.KeySet", Counted)
    assert known(*chain) == kids(KEY, *keys)
    assert checked_by_key == len(chain), "each signature once"
    assert put_in_sets <= 3 * len(chain), "and none against keys it does not name"


def test_the_statements_of_a_bundle_have_one_form_and_all_count() -> None:
    data = b"".join(line(each) + b"\n" for each in ALL_OF_THEM)
    assert statements_in(data) == tuple(ALL_OF_THEM)
    lines = data.splitlines(keepends=True)
    for wrong in (
        data[:-1],
        b"",
        b"{}\n",
        data.replace(b'"position":3', b'"position": 3'),
        b"".join([lines[0], *lines[2:]]),  # the key that introduces itself
        b"".join([*lines[:2], *lines[3:]]),  # who vouches for the third
        b"".join([lines[1], lines[0], *lines[2:]]),
        data + line(introduction(9, THIRD, THIRD)) + b"\n",
        data + line(introduction(9, OTHER_KEY, KEY, NOON + HOUR)) + b"\n",
    ):
        with pytest.raises(ValueError):
            statements_in(wrong)
    for place in range(0, len(data), 29):
        altered = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        with pytest.raises(ValueError):
            statements_in(altered)


def rotated(*statements: Statement, viewer: int = ALL) -> bytes:
    """A bundle whose proof the second key signed."""
    at = table("ambition_tricks")
    told = b"".join(line(each) + b"\n" for each in statements)
    changes = {PROOF: proof(at, OTHER_KEY).encode(), KEYS: key_set([OTHER_KEY.public])}
    return forged(bundled(at, viewer), {**changes, STATEMENTS: told or None})


def trusting(key: SigningKey, *statements: Statement) -> Trusted:
    return Trusted(((ORIGIN, key.public.public),), statements=statements)


def checked(data: bytes, key: SigningKey, *statements: Statement) -> Checked:
    return verify_bundle(data, trusting(key, *statements))


@pytest.mark.parametrize("viewer", [ALL, SPECTATOR, 1])
def test_who_trusts_an_older_key_follows_the_bundle_s_statements(viewer: int) -> None:
    data = rotated(RECEIPT_KEY, FIRST, SECOND, GONE, viewer=viewer)
    assert checked(data, KEY).fault is None
    assert checked(data, OTHER_KEY).fault is None
    assert checked(data, THIRD).place == PROOF


def test_statements_may_come_from_elsewhere() -> None:
    bare = rotated()
    assert STATEMENTS not in members(bare)
    assert checked(bare, KEY).place == PROOF
    assert checked(bare, KEY, FIRST, SECOND).fault is None
    assert checked(rotated(RECEIPT_KEY, FIRST, SECOND), KEY, LATER).fault is None


def test_a_new_key_that_nobody_vouched_for_is_wrong_if_trust_was_demanded() -> None:
    data = rotated(RECEIPT_KEY, FIRST)
    assert verify_bundle(data).fault is None
    found = checked(data, KEY)
    assert (found.place, found.fault is not None) == (PROOF, True)


def test_another_log_s_name_is_not_followed() -> None:
    data = rotated(RECEIPT_KEY, FIRST, SECOND)
    other = Trusted((("log.example/other", KEY.public.public),))
    assert verify_bundle(data, other).place == PROOF


def test_a_proof_by_a_key_that_was_retired_before_is_wrong() -> None:
    """The events say that it was signed later than its key signs anything."""
    at = table("ambition_tricks")
    latest = max(each.at for each in at.events)
    for when, is_wrong in ((latest - MINUTE - 1, True), (latest - MINUTE, False)):
        gone = retirement(4, OTHER_KEY, KEY, when)
        data = rotated(RECEIPT_KEY, FIRST, SECOND, gone)
        assert (checked(data, KEY).place == PROOF) is is_wrong
        assert (verify_bundle(data).place == PROOF) is is_wrong
        apart = rotated(RECEIPT_KEY, FIRST, SECOND)
        assert (checked(apart, KEY, gone).place == PROOF) is is_wrong


def test_statements_are_of_keys_that_are_there() -> None:
    told = b"".join(line(each) + b"\n" for each in ALL_OF_THEM)
    data = forged(bundled(table("ambition_tricks"), ALL, proved=False), {STATEMENTS: told})
    assert verify_bundle(data).place == STATEMENTS
    assert INTRODUCED in told.decode()
