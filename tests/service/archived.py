"""Matches that rest, and are archived."""

from typing import Any

import httpx
from sqlalchemy import func, select

from events.archiving import Kept
from events.store import Store
from events.tables import ARCHIVE, COMMAND, CONSUMER, EVENT
from service import archiving
from tests.service.client import Table, answer
from tests.service.conftest import Door
from tests.service.grouping import Group, opened, played
from tests.service.test_feed import fed
from tests.waiting import eventually


async def done(waiting: Any) -> httpx.Response:
    got: httpx.Response = await waiting
    assert got.status_code in (200, 201), got.text
    return got


async def said(door: Door, table: Table, seat: int, word: str) -> httpx.Response:
    """`word` is the Idempotency-Key as well."""
    body = {"decision": None, "move": {"type": "speak", "text": word}}
    headers = {"idempotency-key": word}
    return await door.post(table.path + "/moves", table.tokens[seat], json=body, headers=headers)


async def rested(door: Door, *accounts: str) -> Table:
    """A match of two in which each said its account, one move was refused and seat 1 resigned."""
    body = {"game": "high_card", "seats": 2}
    match_id = (await done(door.post("/v1/matches", json=body))).json()["match_id"]
    path, tokens = f"/v1/matches/{match_id}", []
    for seat, account in enumerate(accounts or ("ada", "bob")):
        claim = door.post(f"{path}/seats/{seat}/claim", json={"account": account})
        tokens.append((await done(claim)).json()["token"])
    table = Table(match_id, tuple(tokens))
    for seat, account in enumerate(accounts or ("ada", "bob")):
        await done(said(door, table, seat, f"said-{account}"))
    wrong = {"type": "arrange", "cards": [f"refused-{(*accounts, 'ada')[0]}"]}
    assert (await answer(door.http, table, 0, "1.0", wrong)).status_code in (409, 422)
    await done(door.post(f"{path}/seats/1/resign", tokens[1]))
    await settled(door)
    return table


async def group_rested(door: Door) -> Group:
    """A deal group of two matches, played and revealed."""
    group = await opened(door, ("ada", "bob"), ("cyd", "dan"))
    for each in group.tables:
        await played(door, each)

    async def state() -> str:
        return str((await door.get(group.path)).json()["state"])

    await eventually(state, lambda found: found == "revealed")
    await settled(door)
    return group


async def settled(door: Door) -> None:
    """The feed and all its readers have come to the end."""
    await fed(door)
    size = await door.app.parts.feeding.size()
    known = select(func.min(CONSUMER.c.position), func.count(CONSUMER.c.name))

    async def positions() -> Any:
        return await door.app.parts.database.read(lambda c: tuple(c.execute(known).one()))

    await eventually(positions, lambda found: found == (size, 3))


async def archived(door: Door, *tables: Table) -> list[Kept]:
    store = Store(door.app.parts.database)
    kept = []
    for table in tables:
        kept.append(await archiving.archive_match(store, table.match_id, at=door.clock.now))
        assert await rows(door, table) == (0, 0, 1)
    return kept


async def rows(door: Door, table: Table) -> tuple[int, ...]:
    """Of events, of commands, of archives."""
    counts = [
        select(func.count()).select_from(each).where(each.c.match_id == table.match_id)
        for each in (EVENT, COMMAND, ARCHIVE)
    ]
    read = door.app.parts.database.read
    return tuple([await read(lambda c, q=each: c.scalar(q)) for each in counts])  # type: ignore[misc]
