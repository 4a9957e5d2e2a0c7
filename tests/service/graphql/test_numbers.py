"""Whole numbers of the schema: an Int has 32 bits, and what it can't tell fails the whole query."""

from collections.abc import Iterator

from graphql import get_named_type

from games import registry
from service.graphql.naming import camel
from service.graphql.schema import graph

# Of events of one match, which is folded in memory, and no log of all matches.
VERSIONS = {
    *(
        "about",
        "asks",
        "dispute",
        "draw",
        "event",
        "from",
        "id",
        "last",
        "move",
        "owed",
        "penalties",
    ),
    *("rewind", "ruledAt", "skipped", "takeback", "to", "version"),
    *("Match.replay.after", "Replay.after", "Match.replay.at", "Match.view.at", "Query.view.at"),
    *("Subscription.decisions.after", "Subscription.matchEvents.after"),
}
SEATS = {"awaited", "listed", "seat", "seatCount", "seating", "seats", "viewer", "winner"}
# Of matches that are made by one request, or of one series; the bounds are those of its body.
TABLES = {
    *("afterAttempt", "afterNumber", "attempt", "done", "draws", "entrant", "forfeits", "games"),
    *("losses", "matchCount", "matchRank", "number", "pending", "played", "provisional", "rank"),
    *("ranks", "refused", "tableCount", "wins"),
}
# Of settings and bodies that have bounds, of pages, and what is changed one by one.
BOUNDED = {
    *("bodyBytes", "delaySeconds", "delayVersions", "first", "least", "longPollSeconds", "most"),
    *("pageEvents", "resultRevision", "revealAfterSeconds", "revision", "rulesVersion", "status"),
    "EraseAccountPayload.matches",
}
SMALL = VERSIONS | SEATS | TABLES | BOUNDED


def ints() -> Iterator[tuple[str, str]]:
    """Every field and argument that is an Int, by its name and by its place; not those of games."""
    games = tuple(camel(game.slug) for game in registry.games())
    for kind in graph().schema.type_map.values():
        if kind.name.startswith(("__", *games)):
            continue
        for name, field in getattr(kind, "fields", {}).items():
            if get_named_type(field.type).name == "Int":
                yield name, f"{kind.name}.{name}"
            for argument, taken in getattr(field, "args", {}).items():
                if get_named_type(taken.type).name == "Int":
                    yield argument, f"{kind.name}.{name}.{argument}"


def test_an_int_is_nothing_that_outgrows_it() -> None:
    """A position of the feed, a time or a sum is a WholeNumber, or Milliseconds."""
    found = list(ints())
    assert [place for name, place in found if not SMALL & {name, place}] == []
    assert {each for one in found for each in one} >= SMALL
