"""An event as its organiser writes it down: players, rounds, and which match is which game."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Final, Literal

import msgspec
from msgspec import Meta

from events.results import Result, ResultStatus, SeatOutcome, SeatResult
from service.trf.report import BYES, NO_GAME, NOTHING, Cell, Player, Report, Scoring

Date = Annotated[str, Meta(pattern=r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?\Z")]
Text = Annotated[str, Meta(max_length=200)]
Name = Annotated[str, Meta(min_length=1, max_length=200)]


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class EventPlayer(_Written, frozen=True, kw_only=True):
    """The order of players is that of their starting ranks."""

    id: Name
    name: Name
    sex: Literal["", "m", "w"] = ""
    title: Text = ""
    rating: Annotated[int, Meta(ge=0, le=9999)] | None = None
    federation: Text = ""
    fide_id: Text = ""
    birth: Date = ""


class Game(_Written, frozen=True, kw_only=True):
    """`players` are in the order of the seats; seat 0 has the white pieces, so to say.

    Exactly one of `match` and `external_id` says which match it is.
    """

    players: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=64)]
    match: Name | None = None
    external_id: Name | None = None
    table: Text = ""


class Bye(_Written, frozen=True, kw_only=True):
    """U is allocated by the pairing; H, F and Z are half a point, a full one and none."""

    player: Name
    kind: Literal["U", "H", "F", "Z"]


class Round(_Written, frozen=True, kw_only=True):
    date: Date = ""
    games: tuple[Game, ...] = ()
    byes: tuple[Bye, ...] = ()


class Event(_Written, frozen=True, kw_only=True):
    """`rounds_planned` is how many there are going to be, if not those that are written down."""

    name: Name
    city: Text = ""
    federation: Text = ""
    start: Date = ""
    end: Date = ""
    kind: Text = ""
    encoded_kind: Text = ""
    arbiter: Text = ""
    deputies: tuple[Text, ...] = ()
    time_control: Text = ""
    encoded_time: Text = ""
    rounds_planned: Annotated[int, Meta(ge=0, le=99)] = 0
    scoring: Scoring = Scoring()
    players: Annotated[tuple[EventPlayer, ...], Meta(min_length=1, max_length=9999)]
    rounds: Annotated[tuple[Round, ...], Meta(max_length=99)] = ()

    @property
    def games(self) -> Iterator[Game]:
        for each in self.rounds:
            yield from each.games


class EventRefused(Exception):
    """What an event says does not agree with itself, or with its matches."""


EVENT: Final = msgspec.json.Decoder(Event)
Results = Mapping[Game, Result]


def checked(event: Event) -> Event:
    """Raises: EventRefused for players who are not there, or twice in a round."""
    ids = [each.id for each in event.players]
    if len(set(ids)) < len(ids):
        raise EventRefused("two players have the same id")
    for number, each in enumerate(event.rounds, 1):
        seen: set[str] = set()
        named = [*(who for game in each.games for who in game.players)]
        for who in (*named, *(bye.player for bye in each.byes)):
            if who not in ids:
                raise EventRefused(f"round {number}: {who} is no player of the event")
            if who in seen:
                raise EventRefused(f"round {number}: {who} is there twice")
            seen.add(who)
        for game in each.games:
            if (game.match is None) == (game.external_id is None):
                raise EventRefused(f"round {number}: a game has a match, or an external_id")
    return event


def report_of(event: Event, results: Results) -> Report:
    """With what the matches came to. Raises: EventRefused for a match of other than two seats."""
    numbers = {each.id: number for number, each in enumerate(event.players, 1)}
    rows: dict[str, list[Cell]] = {each.id: [] for each in event.players}
    for number, played in enumerate(event.rounds, 1):
        cells = _cells(played, results, numbers, number)
        for who, row in rows.items():
            row.append(cells.get(who, NOTHING))
    scored = {who: sum(event.scoring.of(each.code) for each in row) for who, row in rows.items()}
    dates = tuple(_slashed(each.date)[2:] for each in event.rounds)
    return Report(
        name=event.name,
        city=event.city,
        federation=event.federation,
        start=_slashed(event.start),
        end=_slashed(event.end),
        kind=event.kind,
        arbiter=event.arbiter,
        deputies=event.deputies,
        time_control=event.time_control,
        dates=dates if any(dates) else (),
        rounds=max(event.rounds_planned, len(event.rounds)),
        scoring=event.scoring,
        encoded_kind=event.encoded_kind,
        encoded_time=event.encoded_time,
        players=tuple(
            _player(each, numbers[each.id], scored, tuple(rows[each.id])) for each in event.players
        ),
    )


def codes(result: Result) -> tuple[str, ...] | None:
    """A code for each seat; None where there is no result, so no game.

    Raises: EventRefused.
    """
    if len(result.seats) != 2:
        raise EventRefused("a TRF holds games of two seats")
    if any(each.rank is None for each in result.seats):
        return None
    is_forfeit = any(each.forfeit for each in result.seats)
    return tuple(_code(each, is_forfeit) for each in result.seats)


def rank_of(who: str, scored: Mapping[str, int]) -> int:
    """Ties share a rank."""
    return 1 + sum(points > scored[who] for points in scored.values())


def _code(seat: SeatResult, is_forfeit: bool) -> str:
    if is_forfeit:
        return "-" if seat.forfeit else "+"
    assert seat.outcome is not None
    return {SeatOutcome.WIN: "1", SeatOutcome.DRAW: "=", SeatOutcome.LOSS: "0"}[seat.outcome]


def _cells(
    played: Round, results: Results, numbers: Mapping[str, int], number: int
) -> dict[str, Cell]:
    found = {bye.player: Cell(0, "-", bye.kind) for bye in played.byes}
    assert all(bye.kind in BYES for bye in played.byes)
    for game in played.games:
        result = results[game]
        if len(result.seats) != len(game.players):
            raise EventRefused(f"round {number}: a match has another number of seats")
        own = codes(result)
        if own is None and result.status is not ResultStatus.PENDING:
            continue
        white, black = game.players
        first, second = own or (NO_GAME, NO_GAME)
        found[white] = Cell(numbers[black], "w", first)
        found[black] = Cell(numbers[white], "b", second)
    return found


def _player(
    player: EventPlayer, number: int, scored: Mapping[str, int], cells: Sequence[Cell]
) -> Player:
    return Player(
        number=number,
        name=player.name,
        sex=player.sex,
        title=player.title,
        rating=player.rating,
        federation=player.federation,
        fide_id=player.fide_id,
        birth=_slashed(player.birth),
        points=scored[player.id],
        rank=rank_of(player.id, scored),
        cells=tuple(cells),
    )


def _slashed(date: str) -> str:
    return date.replace("-", "/")
