"""Lists of matches and their results: only what is public about each."""

import msgspec
from msgspec import Raw

from events.sandbox import is_test
from events.store import MatchRow
from events.types import Status


class MatchSummary(msgspec.Struct, frozen=True):
    """`created_at` in milliseconds since 1970; `result` only when the match is over.

    `deal_group` is the group whose draws it shares. `test`: it was made in a sandbox.
    """

    match_id: str
    external_id: str | None
    game: str
    rules_version: int
    seats: int
    status: Status
    version: int
    head: str
    created_at: int
    deal_group: str | None
    test: bool
    result: Raw | None


def summary(row: MatchRow) -> MatchSummary:
    return MatchSummary(
        match_id=row.match_id,
        external_id=row.external_id,
        game=row.game,
        rules_version=row.rules_version,
        seats=row.seats,
        status=Status(row.status),
        version=row.version,
        head=row.head.hex(),
        created_at=row.created_at,
        deal_group=row.deal_group,
        test=is_test(row.org),
        # A result that a rewind or a ruling took back stays in the row until the next one.
        result=None if row.result is None or row.status != Status.OVER else Raw(row.result),
    )
