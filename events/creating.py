"""What a new match is asked to be, and the event that says so."""

from typing import Any

import msgspec

from events.canonical import raw
from events.clocks import Clock
from events.scheduling import Schedule
from events.types import FORMAT, Closing, MatchCreated, Start
from games.core.game import Game


class OfGroup(msgspec.Struct, frozen=True):
    """What a match takes over from its deal group; `closes_at` in milliseconds."""

    id: str
    closes_at: int
    closing: Closing


class CreateMatch(msgspec.Struct, frozen=True):
    """`options` are an Options struct of the game. In a deal group the commitment is its seed's."""

    match_id: str
    game: Game[Any, Any]
    options: msgspec.Struct
    seats: int
    seed_commitment: str
    algorithm: str
    start: Start = Start.AUTO
    takes_entropy: bool = False
    reveal_by: int | None = None
    window: int | None = None  # ms that disputes keep the reveal waiting; None: it does not wait
    group: OfGroup | None = None
    clock: Clock | None = None
    schedule: Schedule | None = None
    closes_at: int | None = None  # of the match itself, like `closing`
    closing: Closing | None = None
    agreed_draw: bool = False  # seats may agree on one; the game allows it
    test: bool = False  # made in a sandbox


def created(command: CreateMatch, at: int) -> MatchCreated:
    """Event 1, with whole options. Raises: OptionsRefused."""
    options = command.game.complete(command.options)
    command.game.new(options, command.seats)
    group = command.group
    if command.agreed_draw:
        assert command.game.agreed_draw(options, command.seats), "its game allows none"
    closes_at, closing = command.closes_at, command.closing
    if group is not None:
        assert closes_at is None, "a match of a group closes with it"
        closes_at, closing = group.closes_at, group.closing
    assert group is None or command.window is None, "what is over in a group stays over"
    return MatchCreated(
        version=1,
        at=at,
        match_id=command.match_id,
        game=command.game.slug,
        rules_version=command.game.rules_version,
        options=raw(options),
        seats=command.seats,
        data_digest=command.game.data_digest,
        seed_commitment=command.seed_commitment,
        algorithm=command.algorithm,
        start=command.start,
        format=FORMAT,
        reveal="at_end" if command.window is None else "after_window",
        reveal_by=command.reveal_by,
        deal_group=group.id if group else None,
        steerable=None if command.takes_entropy else "operator",
        closes_at=closes_at,
        closing=closing,
        window=command.window,
        clock=command.clock,
        schedule=command.schedule,
        agreed_draw=command.agreed_draw,
        test=command.test,
    )
