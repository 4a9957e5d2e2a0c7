"""Seats with a key of their own: nobody else plays in their name without its being found."""

from hmac import digest as hmac
from random import Random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from msgspec.structs import replace

from events.canonical import canonical, decoded, prefixed
from events.decide import ClaimSeat, MoveUnsigned, PlayMove, Resign
from events.match import Match
from events.seat_keys import RESIGNING, coded, sign_move
from events.types import By, MovePlayed, SeatResigned, SeatSignature
from events.verify import verify_log
from events.verify_view import verify_view
from games.core.game import ALL, SPECTATOR, Seat
from games.core.moves import sample, take, wire_move
from tests.events.scripted import MATCH_ID, Table, changed, entries, where
from tests.games import high_card

OWNER = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
STRANGER = Ed25519PrivateKey.from_private_bytes(bytes(32))
KEY = coded(OWNER.public_key().public_bytes_raw())


def keyed(seats: int = 3) -> Table:
    """Seat 0 has a key, the others have none."""
    table = Table(high_card.GAME, seats, is_seated=False)
    for seat in range(seats):
        table.do(ClaimSeat(seat, f"player {seat}", KEY if seat == 0 else None))
    return table


def signature(
    current: Match, decision: str | None, what: bytes, key: Ed25519PrivateKey = OWNER, **as_if: Any
) -> SeatSignature:
    nonce = hmac(b"nonce", canonical([decision, current.version]), "sha256")
    said = {"match_id": current.match_id, "version": current.version, "head": current.head, **as_if}
    return sign_move(key, said["match_id"], decision, what, nonce, said["version"], said["head"])


def played(table: Table, rng: Random, key: Ed25519PrivateKey = OWNER, **as_if: Any) -> None:
    """Seat 0 answers what it is asked, signed."""
    current = table.current
    assert current.decision is not None
    wire = wire_move(sample(current.decision.offers[0], rng))
    what = canonical(wire_move(take(current.decision.offers[0], wire)))
    decision = current.decision_of(0)
    signed = signature(current, decision, what, key, **as_if)
    table.do(PlayMove(0, decision, wire, table.entropy(32), signed))


def to_the_end(table: Table) -> Table:
    rng = Random(5)
    while (decision := table.current.decision) is not None:
        if 0 in decision.offers:
            played(table, rng)
        else:
            seat: Seat = min(decision.offers)
            table.play(seat, wire_move(sample(decision.offers[seat], rng)))
    return table


PLAYED = to_the_end(keyed())
OWN = next(e for e in PLAYED.events if isinstance(e, MovePlayed) and e.seat == 0)
OTHERS = next(e for e in PLAYED.events if isinstance(e, MovePlayed) and e.seat == 1)


def test_a_signed_match_is_sound_for_everybody() -> None:
    assert verify_log(PLAYED.records).fault is None
    for viewer in (SPECTATOR, 0, 1, 2, ALL):
        assert verify_view(entries(PLAYED, viewer), MATCH_ID, 3, viewer).fault is None


def test_what_is_signed_is_what_is_written_down() -> None:
    signed = OWN.signed
    assert signed is not None
    committed = hmac(bytes.fromhex(signed.nonce), bytes(OWN.move), "sha256")
    bound = bytes.fromhex(MATCH_ID.replace("-", ""))
    head = bytes.fromhex(signed.head)
    data = prefixed("plyscribe/move/1", bound, OWN.decision or "", committed, signed.version, head)
    assert coded(OWNER.sign(data)) == signed.signature


def test_others_see_the_signature_and_not_the_nonce() -> None:
    shown = decoded(entries(PLAYED, SPECTATOR)[OWN.version - 1][0])
    assert set(shown["signed"]) == {"version", "head", "committed", "signature"}


@pytest.mark.parametrize(
    "as_if",
    [
        {"key": STRANGER},
        {"match_id": "01890a5d-ac96-774b-bcce-b302099a8058"},
        {"version": 1},
        {"version": 99},
    ],
)
def test_what_the_seat_did_not_sign_is_refused(as_if: dict[str, Any]) -> None:
    with pytest.raises(MoveUnsigned):
        played(keyed(), Random(1), **as_if)


def test_an_unsigned_move_of_a_seat_with_a_key_is_refused() -> None:
    table = keyed()
    offers = table.current.decision.offers[0]  # type: ignore[union-attr]
    with pytest.raises(MoveUnsigned):
        table.play(0, wire_move(sample(offers, Random(1))))
    with pytest.raises(MoveUnsigned):
        table.do(Resign(0))


def test_a_signature_of_a_seat_without_a_key_is_refused() -> None:
    table = Table(high_card.GAME, 3)
    with pytest.raises(MoveUnsigned):
        played(table, Random(1))


def test_another_move_than_the_signed_one_is_refused() -> None:
    table = keyed()
    current = table.current
    decision = current.decision_of(0)
    signed = signature(current, decision, b'{"type":"arrange"}')
    wire = wire_move(sample(current.decision.offers[0], Random(1)))  # type: ignore[union-attr]
    with pytest.raises(MoveUnsigned):
        table.do(PlayMove(0, decision, wire, bytes(32), signed))


def test_an_aside_is_signed_with_the_digest_of_its_text() -> None:
    table = keyed()
    salt = bytes([7]) * 32
    digest = hmac(hmac(salt, b"text", "sha256"), "Ü".encode(), "sha256").hex()
    what = canonical({"type": "speak", "text": digest})
    signed = signature(table.current, None, what)
    said = PlayMove(0, None, {"type": "speak", "text": "Ü"}, salt, signed)
    table.do(said)
    assert verify_log(table.records, texts=table.texts).fault is None
    # Said once is not said twice: what was signed before it is of no use any more.
    with pytest.raises(MoveUnsigned):
        table.do(said)


def test_a_seat_with_a_key_signs_that_it_resigns() -> None:
    table = keyed()
    table.do(Resign(0, signature(table.current, RESIGNING, b"{}")))
    table.play_on(Random(2))
    assert verify_log(table.records).fault is None
    version = next(e.version for e in table.events if isinstance(e, SeatResigned))
    assert where(verify_log(changed(table, version, signed=None))) == (version, "signature")


assert OWN.signed is not None
FORGED = {
    "no signature": {"signed": None},
    "another's": {"signed": replace(OWN.signed, signature=coded(bytes(64)))},
    "another nonce": {"signed": replace(OWN.signed, nonce="00" * 32)},
    "another head": {"signed": replace(OWN.signed, head="00" * 32)},
    "malformed": {"signed": replace(OWN.signed, nonce="AB")},
}


@pytest.mark.parametrize("fields", FORGED.values(), ids=FORGED)
def test_a_move_in_a_seats_name_is_found(fields: dict[str, Any]) -> None:
    assert where(verify_log(changed(PLAYED, OWN.version, **fields))) == (OWN.version, "signature")


def test_a_fork_under_a_signed_head_is_found() -> None:
    """The same moves in a log that says something else before them."""
    forked = changed(PLAYED, 2, holder="somebody else")
    assert where(verify_log(forked)) == (OWN.version, "signature")


def test_a_move_as_a_fallback_is_found() -> None:
    fields: dict[str, Any] = {"by": By.FALLBACK, "signed": None}
    assert where(verify_log(changed(PLAYED, OWN.version, **fields))) == (OWN.version, "by")


def test_a_signature_of_a_seat_without_a_key_is_found() -> None:
    fields = {"signed": OWN.signed}
    found = where(verify_log(changed(PLAYED, OTHERS.version, **fields)))
    assert found == (OTHERS.version, "signature")


def test_a_key_is_spelled_in_one_way() -> None:
    assert where(verify_log(changed(PLAYED, 2, key=KEY[:-1] + "="))) == (2, "key")
