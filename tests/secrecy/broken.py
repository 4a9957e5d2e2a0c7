"""Services broken on purpose: the harness has to see each of these leaks."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace as copied
from typing import Any, Final

import msgspec
import pytest
from msgspec.structs import replace

from events import decide as deciding
from events import observe as observing
from events.canonical import raw
from events.decide import PlayMove, Step, settle
from events.match import Match
from events.types import ChanceDrawn, MovePlayed, Observation
from games.ambition_characters import GAME
from games.ambition_characters.moves import (
    Block,
    ChooseLive,
    Keep,
    NameVictim,
    PassCard,
    Redeal,
    Speak,
)
from games.core.game import AnyGame, Chance, Decision, Over, Seen
from games.core.moves import Choice, IllegalMove, Offer, count, wire_move
from projections import projection
from projections.history import History
from projections.projection import Asked, Encodings
from service import commands, exporting, live, proving, queries
from service.errors import Fault, Invalid
from service.http import tagged
from service.rest.inputs import caller_of, match_id_of
from service.rest.routes import ENDPOINTS

TRUE: Final[AnyGame] = copied(GAME)  # the rules as they are, whatever is done to GAME

Patch = pytest.MonkeyPatch
Break = Callable[[Patch], None]


@contextmanager
def rules(**functions: Any) -> Iterator[None]:
    """The game with other functions, wherever it is held."""
    try:
        for name, function in functions.items():
            object.__setattr__(GAME, name, function)
        yield
    finally:
        for name in functions:
            object.__setattr__(GAME, name, getattr(TRUE, name))


def neighbours_hand(state: Any, viewer: int) -> Any:
    """`view` with the hand of another seat."""
    seen: Any = TRUE.view(state, viewer)
    seat = (viewer + 1) % len(state.coins)
    shown = replace(seen.seats[seat], hand=state.hands[seat])
    return replace(seen, seats=(*seen.seats[:seat], shown, *seen.seats[seat + 1 :]))


def deck_order(state: Any, viewer: int) -> Any:
    """`view` with the cast in another order: the deck's cards as they lie."""
    rest = tuple(card for card in state.cast if card not in state.deck)
    return replace(TRUE.view(state, viewer), cast=(*rest, *state.deck))


def shown_whole(kind: type[Any]) -> Callable[..., Seen]:
    """`redact` that blanks nothing of one type of move."""

    def redact(before: Any, seat: int, move: Any, viewer: int) -> Seen:
        if isinstance(move, kind):
            return Seen(wire_move(move))
        return TRUE.redact(before, seat, move, viewer)

    return redact


def hidden_first(state: Any) -> Any:
    """`turn` whose options begin with what lies in the deck."""
    turn = TRUE.turn(state)
    if not isinstance(turn, Decision):
        return turn
    offers = {s: tuple(_sorted(each, state) for each in own) for s, own in turn.offers.items()}
    return replace(turn, offers=offers)


def hinting_kind(state: Any) -> Chance | Decision | Over:
    """`turn` whose kind hangs on the top of the deck."""
    turn = TRUE.turn(state)
    if isinstance(turn, Decision) and state.deck and state.deck[0] > "M":
        return replace(turn, kind=turn.kind + "_now")
    return turn


def hinting_boundary(state: Any) -> str:
    """`boundary` that counts the late cards of the deck."""
    return f"{TRUE.boundary(state)} {sum(card > 'M' for card in state.deck)}"


def knowing_fallback(state: Any, seat: int) -> Any:
    """`fallback` that blocks or names a card which somebody really holds."""
    move = TRUE.fallback(state, seat)
    if isinstance(move, Block | NameVictim):
        turn = TRUE.turn(state)
        assert isinstance(turn, Decision)
        (choice,) = turn.offers[seat][-1].fields.values()
        assert isinstance(choice, Choice)
        kind: Any = type(move)
        return kind(max(choice.options, key=lambda card: card in state.deck))
    return move


def offers_counted(patch: Patch) -> None:
    """Who is asked comes with how much it is offered."""

    def asked(current: Match) -> Asked | None:
        decision = current.decision
        if decision is None:
            return None
        total = sum(count(own) or 0 for own in decision.offers.values())
        kind = f"{decision.kind} of {total}"
        return Asked(kind, decision.mode, tuple(sorted(decision.offers)))

    patch.setattr(projection, "_asked", asked)


def telling_errors(patch: Patch) -> None:
    """A refusal says which card is on top of the deck."""
    told = commands._told

    def telling(refusal: Exception, current: Match, seat: int) -> Exception:
        if isinstance(refusal, IllegalMove) and current.state.deck:
            return Invalid(Fault("/move", "not-now", f"{current.state.deck[0]} comes first"))
        return told(refusal, current, seat)

    patch.setattr(commands, "_told", telling)


def telling_validation(patch: Patch) -> None:
    """Validation tells a card that somebody holds from one that nobody does."""
    validate = commands.validate_move

    async def telling(parts: Any, caller: Any, wanted: commands.Play) -> bytes:
        try:
            return await validate(parts, caller, wanted)
        except IllegalMove:
            current = parts.cache.peek(wanted.match_id)
            held = {card for hand in current.state.hands for card in hand}
            if any(value in held for value in wanted.move.values() if isinstance(value, str)):
                raise Invalid(Fault("/move", "blocked", "somebody holds it")) from None
            raise

    patch.setattr(commands, "validate_move", telling)


def state_in_tag(patch: Patch) -> None:
    """The ETag of a view is a digest of the whole state."""

    async def get_view(parts: Any, request: Any) -> Any:
        caller = await caller_of(parts, request)
        match_id = match_id_of(request)
        current, viewer = await queries.view(parts, caller, match_id)
        tag = f"{hash(msgspec.json.encode(current.state)):x}"
        return tagged(request, tag, parts.encodings.view(current, viewer))

    (endpoint,) = (each for each in ENDPOINTS if each.route.endswith("/view"))
    patch.setitem(endpoint.methods, "GET", get_view)


def event_more(patch: Patch) -> None:
    """Something follows of itself only if a certain card is on top of the deck."""
    decide = deciding.decide

    def talkative(current: Match, command: Any, dealer: Any, at: int) -> tuple[Step, ...]:
        steps = decide(current, command, dealer, at)
        after = steps[-1].after
        deck = after.state.deck
        if not isinstance(command, PlayMove) or after.decision is None or deck[:1] < ("M",):
            return steps
        said = raw(Speak("0" * 64))
        event = MovePlayed(version=after.version + 1, at=at, seat=0, decision=None, move=said)
        return (*steps, *settle(after, event, (), dealer, at))

    patch.setattr(commands, "decide", talkative)


def offer_digest_shown(patch: Patch) -> None:
    """Everybody sees the digest of what a draw was made from."""
    observed = observing._observed

    def telling(before: Match, event: Any, seen: Seen, dealer: Any) -> Observation:
        made = observed(before, event, seen, dealer)
        if isinstance(event, ChanceDrawn):
            return replace(made, data=raw({"offer": event.offer}))
        return made

    patch.setattr(observing, "_observed", telling)


def sealed_by_value(patch: Patch) -> None:
    """Only some of the hidden answers are committed to."""
    sealed_as = observing.sealed_as

    def telling(current: Match, seat: int, decision: Any, move: Any, dealer: Any) -> str | None:
        if any(name in bytes(move) for name in (b"A", b"E")) and b"KING" not in bytes(move):
            return sealed_as(current, seat, decision, move, dealer)
        return None

    patch.setattr(deciding, "sealed_as", telling)


def breathing_streams(patch: Patch) -> None:
    """A stream shows a sign of life more if a certain card is on top of the deck."""
    follow = live.follow

    async def breathing(parts: Any, feed: Any) -> AsyncIterator[list[Any]]:
        async for entries in follow(parts, feed):
            yield entries
            if parts.cache.peek(feed.match_id).state.deck[:1] > ("M",):
                yield []

    patch.setattr(live, "follow", breathing)


def telling_feed(patch: Patch) -> None:
    """An entry of the feed says which card was on top of the deck when it was made."""
    page = exporting.page

    async def telling(parts: Any, caller: Any, after: int, limit: int) -> Any:
        told = await page(parts, caller, after, limit)
        entries = []
        for each in told.entries:
            current = parts.cache.peek(each.match_id)
            top = current.state.deck[:1] if current is not None and current.state else ()
            entries.append(replace(each, external_id="".join(top)))
        return replace(told, entries=tuple(entries))

    patch.setattr(exporting, "page", telling)


def proof_of_nothing(patch: Patch) -> None:
    """A proof is refused in other words if a certain card is on top of the deck."""
    match_proof = proving.match_proof

    async def telling(parts: Any, caller: Any, match_id: str) -> str:
        current = parts.cache.peek(match_id)
        if current is not None and current.state.deck[:1] > ("M",):
            raise Invalid
        return await match_proof(parts, caller, match_id)

    patch.setattr(proving, "match_proof", telling)


def neighbours_bundle(patch: Patch) -> None:
    """A seat's bundle holds what its neighbour was shown."""
    facets = History.facets

    async def shifted(self: History, match_id: str, viewer: int, through: int) -> list[bytes]:
        return await facets(self, match_id, 0 if viewer == 1 else abs(viewer) ^ 1, through)

    patch.setattr(History, "facets", shifted)


def one_view_for_all(patch: Patch) -> None:
    """The first view of a version that was encoded is given to everybody."""
    view = Encodings.view

    def shared(self: Encodings, current: Match, viewer: int) -> bytes:
        first: int = current.__dict__.setdefault("first", viewer)
        return view(self, current, first)

    patch.setattr(Encodings, "view", shared)


def _sorted(offer: Offer, state: Any) -> Offer:
    return replace(offer, fields={name: _deck_first(f, state) for name, f in offer.fields.items()})


def _deck_first(field: Any, state: Any) -> Any:
    if not isinstance(field, Choice) or field.ordered:
        return field
    return replace(field, options=tuple(sorted(field.options, key=lambda o: o not in state.deck)))


VIEWS: Final = {"a neighbour's hand": neighbours_hand, "the order of the deck": deck_order}
REDACTED: Final = {
    "pass_card": PassCard,
    "choose_live": ChooseLive,
    "keep": Keep,
    "redeal": Redeal,
}
SERVICE: Final[dict[str, tuple[Break, str]]] = {
    "offers counted": (offers_counted, "/"),
    "errors that tell": (telling_errors, "/moves"),
    "validation that tells": (telling_validation, "/moves/validate"),
    "a digest of the state as ETag": (state_in_tag, "/view"),
    "an event more": (event_more, "/"),
    "commitments to some answers": (sealed_by_value, "/events"),
    "streams that breathe": (breathing_streams, "/events"),
    "a feed that tells": (telling_feed, "/v1/feed"),
    "a proof that tells": (proof_of_nothing, "/proof"),
    "a neighbour's bundle": (neighbours_bundle, "/bundle"),
    "one view for all": (one_view_for_all, "/view"),
}
