"""Nobody can test a guess at a hidden value against anything that is published while a match runs.

All other seats together with whoever watches hold every byte they can get; the true values are
tried against it in every form and way of hashing there is, and small spaces as a whole.
"""

from base64 import urlsafe_b64decode
from collections.abc import AsyncIterator, Callable, Container, Sequence
from contextlib import asynccontextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from msgspec.structs import replace

from events import chain, dealer, observe, sealing
from events.canonical import canonical, decoded
from events.evidence import RECEIPT
from events.match import Match, decode, evolve
from events.observe import has_blanks
from events.signing import Purpose
from events.types import ChanceDrawn, MovePlayed, Record, SeatSignature, SeenSignature
from games.core.game import CHANCE, SPECTATOR, AnyGame, Chance, Decision
from games.core.moves import Move, Offer, count, moves, wire_move
from games.registry import HOUSE
from service import making, notary, refusing
from service.app import App, build
from service.settings import Settings
from tests.games import high_card
from tests.secrecy.door import Asked
from tests.secrecy.gathering import ADMIN, OWN, Played, gathered, played
from tests.secrecy.guesses import Guess, Place, guessed, is_signed, proof_of
from tests.secrecy.published import WIDTH

GAMES: Final = [*(package.GAME for package in HOUSE), high_card.GAME]
by_game = pytest.mark.parametrize("game", GAMES, ids=lambda game: str(game.slug))
SMALL: Final = 60  # moves of a space that is tried as a whole
FACTS: Final = 8  # hidden values of a match tried in the short run, the last ones
LENGTH: Final = 14


class Hidden(msgspec.Struct, frozen=True):
    """A hidden value with others that might be in its place; signatures go with heads they name."""

    place: Place
    truth: Guess
    others: tuple[Guess, ...]
    signed: tuple[tuple[bytes, bytes], ...] = ()
    heads: tuple[tuple[int, bytes], ...] = ()


@pytest.fixture(autouse=True)
def _names_lead_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nowhere(host: str, port: int) -> list[str]:
        return []

    monkeypatch.setattr("service.reaching.addresses_of", nowhere)


@asynccontextmanager
async def running(url: str, folder: Path, **more: Any) -> AsyncIterator[App]:
    settings = Settings(
        data_dir=folder,
        database_url=url,
        secret_key="5e" * 32,
        admin_key=ADMIN,
        keep_alive_seconds=300,
        feed_seconds=3600,
        checkpoint_seconds=0.01,
        requests_per_minute=0,
        failures_per_minute=0,
    )
    async with build(settings, **more).running() as app:
        yield app


@pytest.fixture
async def app(sqlite_url: str, tmp_path: Path) -> AsyncIterator[App]:
    async with running(sqlite_url, tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("trial", range(2))
@by_game
async def test_no_guess_can_be_tested(app: App, game: AnyGame, trial: int) -> None:
    match = await played(app, game, trial, LENGTH * (trial + 1))
    assert await found(match, FACTS) == []


@pytest.mark.fuzz
@pytest.mark.parametrize("trial", range(6))
@by_game
async def test_no_guess_can_be_tested_in_long_matches(app: App, game: AnyGame, trial: int) -> None:
    match = await played(app, game, trial, 60 if trial % 2 else 25)
    assert await found(match, 1000) == []


async def found(match: Played, most: int) -> list[str]:
    """The hidden values a guess at which could be tested, by version and how."""
    published = await gathered(match)
    windows, keys = published.windows(), published.keys()
    # What was opened on purpose is no guess: the same move may be hidden once more.
    windows -= {digest[:WIDTH] for digest in (await _opened(match)).values()}
    assert len(keys) > 100, "next to nothing was gathered"
    hidden = (await hidden_in(match))[-most:] + await refusals_of(match)
    assert hidden, "nothing is hidden here"
    seats, told = len(match.tokens), []
    for each in hidden:
        near = {*each.place.constants, *each.place.near}
        how = proof_of(each.truth, each.place, near | keys, seats, windows)
        told += [] if how is None else [f"{each.place.version}: {how}"]
        for other in each.others:
            how = proof_of(other, each.place, near, seats, windows)
            assert how is None, f"a wrong guess is proved right {how}"
        if is_signed(each.truth, each.place, each.signed, each.heads):
            told.append(f"{each.place.version}: signed")
    return told + await seeds_of(match, keys)


async def seeds_of(match: Played, keys: set[bytes]) -> list[str]:
    """Whether the seed's commitment opens to anything that is published or follows from the id."""
    current = await match.current()
    own = chain.id_bytes(match.match_id)
    place = Place(match.match_id, 1, 0, None, ())
    tried = {*keys, *place.constants, own + own}
    told = bytes.fromhex(current.created.seed_commitment)
    return ["the seed"] if any(dealer.commitment(each, own) == told for each in tried) else []


async def hidden_in(match: Played) -> list[Hidden]:
    """What the seat did and no other sees, and draws that none of the others sees, so far."""
    records = await match.app.parts.store.records(match.match_id)
    shown = await match.app.parts.history.facets(match.match_id, match.seat, len(records))
    opened, signatures = await _opened(match), await _signatures(match)
    hidden: list[Hidden] = []
    before: Match | None = None
    for number, record in enumerate(records):
        event = decode(record)
        if before is not None and _is_hidden(match, before, event, opened):
            found = _fact(match, before, event, record, decoded(shown[number]))
            signed = (*found.signed, *signatures.get(record.version, ()))
            hidden.append(replace(found, signed=signed))
        before = evolve(before, event)
    return hidden


async def refusals_of(match: Played) -> list[Hidden]:
    """What the seat tried and was refused, but for moves that were opened since."""
    place = Place(match.match_id, 0, match.seat, f"1.{match.seat}", ())
    signed = tuple(each for many in (await _signatures(match)).values() for each in many)
    opened = await _opened(match)
    tried = [move for decision, move in match.refused if decision not in opened]
    truths = [guessed({}, {}, place, move) for move in tried]
    return [Hidden(place, truth, (), signed[-4:]) for truth in truths]


def _is_hidden(match: Played, before: Match, event: Any, opened: Container[str]) -> bool:
    """No other seat and nobody who watches sees the whole of it, then or later."""
    if isinstance(event, MovePlayed):
        if event.seat != match.seat or event.decision in opened:
            return False
        seat, move = event.seat, before.game_move(event.move)
    elif isinstance(event, ChanceDrawn):
        seat, move = CHANCE, before.drawn_by(event)
    else:
        return False
    viewers = [SPECTATOR, *(each for each in range(before.seats) if each != match.seat)]
    seen = [before.game.redact(before.state, seat, move, viewer) for viewer in viewers]
    return all(has_blanks(each.move) for each in seen)


def _fact(match: Played, before: Match, event: Any, record: Record, shown: Any) -> Hidden:
    body, seats = decoded(record.body), before.seats
    commitments = [record.facets[at : at + 32] for at in range(0, len(record.facets), 32)]
    others = {0, *(seat + 1 for seat in range(seats) if seat != match.seat)}
    salts = [chain.facet_salt(record.salt, index) for index in sorted(others)]
    near = (before.head, record.hash, *commitments, *salts)
    decision = getattr(event, "decision", None)
    place = Place(match.match_id, record.version, match.seat, decision, near)
    turn = before.turn
    if isinstance(event, ChanceDrawn):
        assert isinstance(turn, Chance)
        wire, space = wire_move(before.drawn_by(event)), _space((turn.offer,))
        picks = canonical(event.picks)
        truth = guessed(body, shown, place, wire)
        truth = replace(truth, anywhere=(*truth.anywhere, picks))
    else:
        assert isinstance(turn, Decision)
        wire, space = decoded(event.move), _space(turn.offers[match.seat])
        truth = guessed(body, shown, place, wire)
    assert not space or wire in space, "the space of guesses is another one"
    wrong = tuple(_but(guessed(body, shown, place, each), truth) for each in space if each != wire)
    signed: tuple[tuple[bytes, bytes], ...] = ()
    heads: tuple[tuple[int, bytes], ...] = ()
    if getattr(event, "signed", None) is not None:
        key, signature = OWN.public_key().public_bytes_raw(), _unpadded(event.signed.signature)
        signed, heads = (
            ((key, signature),),
            ((event.signed.version, bytes.fromhex(event.signed.head)),),
        )
    return Hidden(place, truth, wrong, signed, heads)


def _but(guess: Guess, truth: Guess) -> Guess:
    """Without the forms that a wrong guess has in common with the right one."""
    return Guess(
        tuple(set(guess.anywhere) - set(truth.anywhere)),
        tuple(each for each in guess.facets if each not in truth.facets),
    )


def _space(offers: Sequence[Offer]) -> list[Any]:
    """All moves of the offers, if they are few."""
    total = count(offers)
    if total is None or total > SMALL:
        return []
    return [wire_move(each) for each in moves(offers) if isinstance(each, Move)]


async def _opened(match: Played) -> dict[str, bytes]:
    """Answers that any other viewer was given the salt of: what was committed, by decision."""
    told: dict[str, bytes] = {}
    version = (await match.current()).version
    for viewer in (SPECTATOR, *range(len(match.tokens))):
        if viewer == match.seat:
            continue
        for facet in await match.app.parts.history.facets(match.match_id, viewer, version):
            for each in decoded(facet).get("reveals", ()):
                if "decision" in each:
                    salt, move = bytes.fromhex(each["salt"]), canonical(each["move"])
                    told[each["decision"]] = dealer.answer_commitment(salt, move)
    return told


async def _signatures(match: Played) -> dict[int, list[tuple[bytes, bytes]]]:
    """Of the seat's documents by the version they are about (0: a refusal), each with the key."""
    jwks = await match.door.json_of(Asked("GET", "/.well-known/jwks.json", None))
    keys = {each["kid"]: _unpadded(each["x"]) for each in jwks["keys"]}
    found: dict[int, list[tuple[bytes, bytes]]] = {}
    for each in match.told:
        version = each["payload"].get("first", 0)
        found.setdefault(version, []).append((keys[each["kid"]], _unpadded(each["signature"])))
    return found


def _unpadded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


# Builds that are broken on purpose


def unsalted(patch: pytest.MonkeyPatch) -> None:
    """Commitments under a salt of zeros."""
    honest = sealing._sealed
    patch.setattr(
        sealing, "_sealed", lambda step, prev, dealt, _: honest(step, prev, dealt, bytes(32))
    )


def salt_from_the_chain(patch: pytest.MonkeyPatch) -> None:
    """Event salts are the hash before the event."""
    honest = sealing._sealed
    patch.setattr(sealing, "_sealed", lambda step, prev, dealt, _: honest(step, prev, dealt, prev))


def one_facet_salt_for_all(patch: pytest.MonkeyPatch) -> None:
    """Whoever has the public's salt of an event has everybody's."""
    honest = chain.facet_salt
    patch.setattr(chain, "facet_salt", lambda salt, index: honest(salt, 0))

    def commitments(match_id: str, version: int, salt: bytes, opened: Sequence[bytes]) -> bytes:
        own, bound = honest(salt, 0), chain.id_bytes(match_id)
        made = (chain.commit(own, bound, version, i, facet) for i, facet in enumerate(opened))
        return b"".join(made)

    patch.setattr(chain, "commitments", commitments)


def sealed_without_salt(patch: pytest.MonkeyPatch) -> None:
    """A sealed answer is committed to by its plain digest."""
    patch.setattr(observe, "answer_commitment", lambda salt, move: sha256(move).digest())


def one_answer_salt(patch: pytest.MonkeyPatch) -> None:
    """All answers of a match have one salt, which the first that is opened shows."""
    honest = dealer.SeedDealer.answer_salt
    patch.setattr(
        dealer.SeedDealer, "answer_salt", lambda self, match_id, _: honest(self, match_id, "0.0")
    )


def receipt_of_the_move(patch: pytest.MonkeyPatch) -> None:
    """A receipt names the digest of the event in place of the seat's commitment."""
    honest = notary.Notary.receipt

    def telling(
        self: Any, match_id: str, seat: int, decision: Any, done: Any, event: Record
    ) -> Any:
        width = chain.COMMITMENT_BYTES
        place, own = (seat + 1) * width, sha256(event.body).digest()
        facets = event.facets[:place] + own + event.facets[place + width :]
        return honest(self, match_id, seat, decision, done, replace(event, facets=facets))

    patch.setattr(notary.Notary, "receipt", telling)


def signature_over_the_move(patch: pytest.MonkeyPatch) -> None:
    """A receipt's signature is over what was played, though it says nothing of it."""
    honest = notary.Notary.receipt

    def telling(
        self: Any, match_id: str, seat: int, decision: Any, done: Any, event: Record
    ) -> Any:
        made = honest(self, match_id, seat, decision, done, event)
        move = canonical(decoded(event.body)["move"])
        signature = self._keys.sign(Purpose.RECEIPTS, RECEIPT, move)
        return replace(made, evidence=replace(made.evidence, signature=signature.signature))

    patch.setattr(notary.Notary, "receipt", telling)


def refusal_of_the_move(patch: pytest.MonkeyPatch) -> None:
    """A refusal holds the plain digest of what was tried."""
    patch.setattr(refusing, "submission", lambda salt, move: sha256(canonical(move)).hexdigest())


def committed_without_nonce(patch: pytest.MonkeyPatch) -> None:
    """What a seat's key signed is shown as a digest without the nonce."""

    def telling(signed: SeatSignature, move: bytes) -> SeenSignature:
        plain = sha256(move).hexdigest()
        return SeenSignature(signed.version, signed.head, plain, signed.signature)

    patch.setattr(observe, "seen_signature", telling)


def empty_seed(patch: pytest.MonkeyPatch) -> None:
    """A seed that everybody knows."""
    patch.setattr(making, "SEED_BYTES", 0)


BROKEN: Final = (
    empty_seed,
    unsalted,
    salt_from_the_chain,
    one_facet_salt_for_all,
    sealed_without_salt,
    one_answer_salt,
    receipt_of_the_move,
    signature_over_the_move,
    refusal_of_the_move,
    committed_without_nonce,
)


@pytest.mark.parametrize("plant", BROKEN, ids=lambda plant: str(plant.__name__))
async def test_a_broken_build_is_found(
    app: App, monkeypatch: pytest.MonkeyPatch, plant: Callable[[pytest.MonkeyPatch], None]
) -> None:
    plant(monkeypatch)
    match = await played(app, high_card.GAME, 0, LENGTH)
    assert await found(match, FACTS) != []
