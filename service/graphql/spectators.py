"""Tokens that only watch a match, as whoever issues them knows them."""

from collections.abc import Iterable

import strawberry

from service import spectating
from service.graphql.scalars import Milliseconds


@strawberry.type(
    description="A token that watches a match, behind by so many versions and seconds at least. "
    "`spectatorId` names it and is no secret."
)
class Spectator:
    spectator_id: str
    delay_versions: int
    delay_seconds: int
    created_at: Milliseconds
    expires_at: Milliseconds | None
    revoked_at: Milliseconds | None


def spectator_of(line: spectating.Spectator) -> Spectator:
    return Spectator(
        spectator_id=line.id,
        delay_versions=line.delay_versions,
        delay_seconds=line.delay_seconds,
        created_at=line.created_at,
        expires_at=line.expires_at,
        revoked_at=line.revoked_at,
    )


def spectators_of(lines: Iterable[spectating.Spectator]) -> list[Spectator]:
    return [spectator_of(each) for each in lines]
