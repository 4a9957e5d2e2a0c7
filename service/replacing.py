"""The match that is played in place of another: stored with the names that are still there."""

from collections.abc import Sequence

from msgspec.structs import replace
from sqlalchemy import Connection

from events.append import Answer, Appended
from events.flush import flush
from events.match import Match
from service import identities
from service.committing import count_turns, make_known
from service.making import NewMatchRequest, Ready, prepared, ready, store_beside
from service.making import listed as listed_of
from service.parts import Parts


async def replacement(parts: Parts, org: str, current: Match, new_id: str) -> None:
    """A new match of the same game, options and seats; who held a seat may claim it there.

    Again with the same id it is the same match.
    """
    row = await parts.store.match(current.match_id)
    created = current.created
    wanted = NewMatchRequest(
        game=created.game,
        rules_version=created.rules_version,
        options=created.options,
        seats=created.seats,
        start=created.start,
        external_id=None if row is None else row.external_id,
        reveal_after_seconds=None if created.window is None else created.window // 1000,
        clock=created.clock,
    )
    new = ready(parts, prepared(parts, org, current.game, wanted, new_id, parts.clock()))
    answer = await parts.database.write(lambda c: _store(c, current, new))
    if isinstance(answer, Appended):
        make_known(parts, new.prepared.current, new.sealed, ())
        count_turns(None, new.prepared.current)


def _store(connection: Connection, current: Match, new: Ready) -> Answer:
    """The match, with the accounts that have the seats and were not erased.

    An erasure of one of them waits for the end of this, and finds the match then; or it is done
    before, and the name is none of those.
    """
    match_id = current.match_id
    known = identities.kept_held(connection, match_id)
    accounts: Sequence[str | None] = identities.accounts(connection, match_id, current.seats)
    listed = listed_of([each if each in known else None for each in accounts])
    assert new.append.created is not None
    append = replace(new.append, created=replace(new.append.created, listed=listed))
    store_beside(connection, [new])
    (answer,) = flush(connection, [append])
    return answer
