"""The dealer: seed commitment, match seed, the stream of words, draws, answer salts."""

from hashlib import sha256
from hmac import digest as hmac
from itertools import islice
from uuid import UUID

import pytest

from events import dealer
from events.canonical import canonical
from events.dealer import SeedDealer
from games.core.chance import WORD, draw
from games.core.moves import Choice, Move, Offer, offer, one_of, wire_offer
from tests.events.scripted import MATCH_ID, OTHER_ID, SEED

SHUFFLED = (8, 7, 3, 2, 6, 1, 9, 4, 5, 0)
CUT_PLACE = (0,)
ANSWER_SALT = "008a39f48525f8f40c8996e619b3ed4285e6279ff0e28d1cf5dd0addc4fb9642"


class Cut(Move, frozen=True):
    card: str


class Shuffle(Move, frozen=True):
    cards: tuple[int, ...]


def shuffle(size: int) -> Offer:
    return offer(Shuffle, cards=Choice(tuple(range(size)), size, size, ordered=True))


CUT = offer(Cut, card=one_of(("ACE", "KING", "QUEEN")))


def test_the_seed_commitment_binds_the_seed_to_the_match() -> None:
    bound = UUID(MATCH_ID).bytes
    assert dealer.commitment(SEED, bound) == sha256(b"plyscribe/seed/1" + bound + SEED).digest()
    assert dealer.commitment(SEED, bound) != dealer.commitment(SEED, UUID(OTHER_ID).bytes)


def test_the_match_seed_mixes_the_contributions_in() -> None:
    assert dealer.match_seed(SEED) == hmac(SEED, b"plyscribe/match-seed/1[]", "sha256")
    mixed = hmac(SEED, b'plyscribe/match-seed/1["aa","bb"]', "sha256")
    assert dealer.match_seed(SEED, ("aa", "bb")) == mixed


def test_the_words_of_a_draw_are_blocks_of_one_hmac() -> None:
    key = dealer.match_seed(SEED)
    digest = sha256(canonical(wire_offer(CUT))).digest()
    parts = (b"plyscribe/stream/1", b"draw/1", b"round 1 deal", (0).to_bytes(8, "big"), digest)
    start = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    expected = []
    for block in range(2):
        counter = b"\x00\x00\x00\x08" + block.to_bytes(8, "big")
        data = hmac(key, start + counter, "sha256")
        expected += [int.from_bytes(data[i : i + 2], "big") for i in range(0, 32, 2)]
    assert list(islice(dealer.words(key, "round 1 deal", CUT, 0), 32)) == expected


def test_known_draws() -> None:
    dealt = SeedDealer(SEED)
    assert dealt.places("round 1 deal", shuffle(10)) == SHUFFLED
    assert dealt.places("round 1 deal", CUT) == CUT_PLACE
    assert dealt.answer_salt(MATCH_ID, "5.0").hex() == ANSWER_SALT


def test_the_same_label_and_offer_draw_the_same_and_all_else_draws_anew() -> None:
    dealt = SeedDealer(SEED)
    first = dealt.places("a", shuffle(30))
    assert SeedDealer(SEED).places("a", shuffle(30)) == first
    others = {
        dealt.places("b", shuffle(30)),
        dealt.places("a", shuffle(30), 1),
        dealt.places("a", shuffle(31)),
        SeedDealer(bytes(32)).places("a", shuffle(30)),
        SeedDealer(SEED, ("aa",)).places("a", shuffle(30)),
    }
    assert len(others | {first}) == 6
    assert sorted(first) == list(range(30))


def compared(rounds: int) -> tuple[int, float]:
    """A pile of 20 shuffled under many labels, and with one card changed: how many places agree,
    and how alike the orders are in standard deviations of unrelated ones.
    """
    dealt, size = SeedDealer(SEED), 20
    other = offer(Shuffle, cards=Choice((*range(size - 1), 99), size, size, ordered=True))
    agreeing, products = 0, 0
    for number in range(rounds):
        first = dealt.places(f"pile {number}", shuffle(size))
        second = dealt.places(f"pile {number}", other)
        agreeing += sum(a == b for a, b in zip(first, second, strict=True))
        products += sum((2 * a - 19) * (2 * b - 19) for a, b in zip(first, second, strict=True))
    deviation = size * (size + 1) * (size - 1) / 3 / (size - 1) ** 0.5 * rounds**0.5
    return agreeing, products / deviation


def test_a_pile_with_one_card_changed_is_shuffled_without_relation() -> None:
    agreeing, alike = compared(2000)
    assert 1800 < agreeing < 2200  # One in each, with a deviation of 45 over all.
    assert abs(alike) < 4.5


def test_a_dealer_that_forgets_the_pile_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealer, "offer_digest", lambda offer: bytes(32))
    agreeing, alike = compared(20)
    assert (agreeing, alike > 4.5) == (400, True)


def test_words_that_would_favour_low_places_are_skipped() -> None:
    limit = WORD - WORD % 3
    assert draw(CUT, iter([limit, WORD - 1, 5])) == draw(CUT, iter([5]))


def test_draws_are_uniform() -> None:
    dealt = SeedDealer(SEED)
    counts = [0, 0, 0]
    for number in range(3000):
        (place,) = dealt.places(f"cut {number}", CUT)
        counts[place] += 1
    assert all(900 < count < 1100 for count in counts)


def test_an_answer_salt_belongs_to_one_decision_of_one_match() -> None:
    dealt = SeedDealer(SEED)
    salts = {
        dealt.answer_salt(MATCH_ID, "5.0"),
        dealt.answer_salt(MATCH_ID, "5.1"),
        dealt.answer_salt(OTHER_ID, "5.0"),
    }
    assert len(salts) == 3
    parts = (b"plyscribe/answer/1", UUID(MATCH_ID).bytes, b"5.0")
    bound = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    expected = hmac(dealer.match_seed(SEED), bound, "sha256")
    assert dealt.answer_salt(MATCH_ID, "5.0") == expected


def test_an_answer_commitment_is_an_hmac_of_the_logged_move() -> None:
    made = dealer.answer_commitment(SEED, b'{"card":3,"type":"choose"}')
    assert made == hmac(SEED, b'{"card":3,"type":"choose"}', "sha256")


@pytest.mark.parametrize("size", [1, 2, 52, 1000])
def test_a_shuffle_deals_every_place_once(size: int) -> None:
    assert sorted(SeedDealer(SEED).places("x", shuffle(size))) == list(range(size))
