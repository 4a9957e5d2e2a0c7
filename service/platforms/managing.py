"""Connections of an organisation and what is linked over them, by whoever may manage them."""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, select

from events import consumers
from events.results import Ending, ResultStatus
from events.sandbox import is_test
from events.tables import MATCH
from service.auth import require
from service.callers import Caller, Right, Scope
from service.errors import Fault, Invalid, MatchNotFound, PreconditionFailed
from service.parts import Parts
from service.platforms import connections, links, wanting
from service.platforms.adapters import ADAPTERS, Adapter
from service.platforms.connections import Account, Held
from service.platforms.links import Link, LinkState, Try
from service.platforms.refusals import (
    ConnectionNotFound,
    LinkNotFound,
    NothingToReport,
    NotInSandbox,
    TooManyConnections,
    TooManyLinks,
)
from service.platforms.told import UP, Credentials, Platform
from service.reaching import is_address

MOST: Final = 50  # connections of an organisation
MOST_LINKS: Final = 20_000  # of a connection
# What is told is what the one who manages connections may read.
RIGHT: Final = Right((Scope.CONNECTIONS_MANAGE, Scope.MATCHES_READ))


class ConnectionFields(msgspec.Struct, frozen=True, kw_only=True):
    """What is set about a connection, besides its platform and credentials."""

    name: str
    address: str
    tournament: str
    provisional: bool
    participants: dict[str, str]
    enabled: bool


class PlatformConnection(ConnectionFields, frozen=True, kw_only=True):
    """`disabled` says why it isn't enabled. Times in ms. Credentials are never told."""

    id: str
    platform: Platform
    disabled: Held | None
    disabled_at: int | None
    created_at: int
    revision: int


class PlatformLink(msgspec.Struct, frozen=True, kw_only=True):
    """Where the result of a match goes. `wanted` is the result that shall be there, null if there
    is none yet; `next_at` when it is told (again) at the earliest while it is pending. In ms.
    """

    match_id: str
    target: str
    participants: tuple[str, ...]
    state: LinkState
    wanted: "WantedResult | None"
    attempts: int
    next_at: int | None
    created_at: int
    log: tuple[Try, ...]


class WantedResult(msgspec.Struct, frozen=True):
    status: ResultStatus
    revision: int
    version: int
    terminal: Ending | None


async def create_connection(
    parts: Parts, caller: Caller, platform: Platform, wanted: ConnectionFields, known: Credentials
) -> PlatformConnection:
    """Raises: ApiKeyRequired, ScopeMissing, NotInSandbox, TooManyConnections, Invalid."""
    _require(caller)
    if is_test(caller.org):
        raise NotInSandbox
    adapter = ADAPTERS[platform]
    wanted = _with_address(wanted, adapter)
    _refuse(parts, adapter, wanted)
    identity, now = parts.entropy(8).hex(), parts.clock()
    account = Account(
        id=identity,
        org=caller.org,
        platform=platform,
        **_fields(wanted),
        **_enabled(None, wanted.enabled, now),
        credentials=_sealed(parts, identity, adapter, known),
        created_at=now,
    )

    def work(connection: Connection) -> None:
        if connections.count(connection, caller.org) >= MOST:
            raise TooManyConnections
        connections.add(connection, account)

    await parts.database.write(work)
    return _shown(account)


async def list_connections(
    parts: Parts, caller: Caller, after: str | None, limit: int
) -> list[PlatformConnection]:
    """Those after an id, by id. Raises: ApiKeyRequired, ScopeMissing."""
    _require(caller)
    found = await parts.database.read(lambda c: connections.listed(c, caller.org, after, limit))
    return [_shown(each) for each in found]


async def connection_of(parts: Parts, caller: Caller, identity: str) -> PlatformConnection:
    """Raises: ApiKeyRequired, ScopeMissing, ConnectionNotFound."""
    _require(caller)
    return _shown(await parts.database.read(lambda c: _account(c, caller.org, identity)))


async def change_connection(
    parts: Parts,
    caller: Caller,
    identity: str,
    change: Callable[[PlatformConnection], ConnectionFields],
    known: Credentials | None,
    revision: int | None,
) -> PlatformConnection:
    """What `change` makes of it, with other credentials if there are some, if it is at `revision`.

    Another address needs its credentials: those that are known were given for the one before.
    Enabled again, it tells what waits for it. Raises: ApiKeyRequired, ScopeMissing,
    ConnectionNotFound, PreconditionFailed, Invalid.
    """
    _require(caller)
    now = parts.clock()

    def work(connection: Connection) -> Account:
        before = _account(connection, caller.org, identity, revision)
        adapter = ADAPTERS[before.platform]
        wanted = _with_address(change(_shown(before)), adapter)
        _refuse(parts, adapter, wanted)
        fields = {**_fields(wanted), **_enabled(before, wanted.enabled, now)}
        if known is not None:
            # Whoever was too busy for the old ones may not be for these.
            fields |= {"strain": 0, "paused_until": 0}
            fields["credentials"] = _sealed(parts, identity, adapter, known)
        elif wanted.address != before.address:
            detail = "another address needs the credentials again"
            raise Invalid(Fault("/credentials", "missing", detail))
        after = connections.change(connection, before, **fields)
        if after is None:
            raise PreconditionFailed
        if before.disabled is not None and after.disabled is None:
            links.hurry(connection, before.id, now)
        return after

    changed = await parts.database.write(work)
    parts.reporting.stir()
    return _shown(changed)


async def remove_connection(
    parts: Parts, caller: Caller, identity: str, revision: int | None
) -> None:
    """With its credentials and links, if it is still at `revision` (None: whatever it is at).

    Raises: ApiKeyRequired, ScopeMissing, ConnectionNotFound, PreconditionFailed.
    """
    _require(caller)

    def work(connection: Connection) -> None:
        before = _account(connection, caller.org, identity, revision)
        connections.remove(connection, before.id)

    await parts.database.write(work)


async def put_link(
    parts: Parts,
    caller: Caller,
    identity: str,
    match_id: str,
    target: str,
    participants: tuple[str, ...],
) -> PlatformLink:
    """Link a match; one that is linked gets this target and these participants, and is told again.

    Raises: ApiKeyRequired, ScopeMissing, ConnectionNotFound, MatchNotFound, TooManyLinks, Invalid.
    """
    _require(caller)
    _refuse_upwards("/target", target)
    now = parts.clock()

    def work(connection: Connection) -> tuple[Link, Account]:
        # A match that ends meanwhile is seen here, or the link by whoever takes its end.
        consumers.hold(connection, wanting.CONSUMER)
        # A removal waits, and takes the link along; or the connection is gone by now.
        connections.keep(connection, identity)
        account = _account(connection, caller.org, identity)
        seats = _seats(connection, caller.org, match_id)
        _refuse_participants(participants, seats)
        is_new = links.find(connection, account.id, match_id) is None
        if is_new and links.count(connection, account.id) >= MOST_LINKS:
            raise TooManyLinks
        made = Link(
            connection_id=account.id,
            match_id=match_id,
            org=caller.org,
            target=target,
            participants=participants,
            created_at=now,
        )
        links.put(connection, made)
        wanting.want(connection, [(made, account.provisional)], now)
        return _link(connection, account.id, match_id), account

    linked, account = await parts.database.write(work)
    parts.reporting.stir()
    return _told(linked, account)


async def list_links(
    parts: Parts, caller: Caller, identity: str, state: str | None, after: str | None, limit: int
) -> list[PlatformLink]:
    """By the ids of matches, those after one. Raises: ApiKeyRequired, ScopeMissing,
    ConnectionNotFound.
    """
    _require(caller)

    def work(connection: Connection) -> tuple[list[Link], Account]:
        account = _account(connection, caller.org, identity)
        return links.listed(connection, account.id, state, after, limit), account

    found, account = await parts.database.read(work)
    return [_told(each, account) for each in found]


async def link_of(parts: Parts, caller: Caller, identity: str, match_id: str) -> PlatformLink:
    """Raises: ApiKeyRequired, ScopeMissing, ConnectionNotFound, LinkNotFound."""
    _require(caller)

    def work(connection: Connection) -> tuple[Link, Account]:
        account = _account(connection, caller.org, identity)
        return _link(connection, account.id, match_id), account

    return _told(*await parts.database.read(work))


async def remove_link(parts: Parts, caller: Caller, identity: str, match_id: str) -> None:
    """What is at the platform stays there.

    Raises: ApiKeyRequired, ScopeMissing, ConnectionNotFound, LinkNotFound.
    """
    _require(caller)

    def work(connection: Connection) -> None:
        account = _account(connection, caller.org, identity)
        links.remove(connection, _link(connection, account.id, match_id))

    await parts.database.write(work)


async def report_again(parts: Parts, caller: Caller, identity: str, match_id: str) -> PlatformLink:
    """From the first attempt on; one that waits is told at once, or as soon as the platform may be
    asked again.

    Raises: ApiKeyRequired, ScopeMissing, ConnectionNotFound, LinkNotFound, NothingToReport.
    """
    _require(caller)

    def work(connection: Connection) -> tuple[Link, Account]:
        account = _account(connection, caller.org, identity)
        found = _link(connection, account.id, match_id)
        if found.wanted is None:
            raise NothingToReport
        return links.again(connection, found, parts.clock()), account

    queued, account = await parts.database.write(work)
    parts.reporting.stir()
    return _told(queued, account)


def _require(caller: Caller) -> None:
    """Raises: ApiKeyRequired, ScopeMissing."""
    for scope in RIGHT.scopes:
        require(caller, scope)


def _account(
    connection: Connection, org: str, identity: str, revision: int | None = None
) -> Account:
    """Raises: ConnectionNotFound, PreconditionFailed."""
    found = connections.find(connection, identity, org)
    if found is None:
        raise ConnectionNotFound
    if revision is not None and revision != found.revision:
        raise PreconditionFailed
    return found


def _link(connection: Connection, identity: str, match_id: str) -> Link:
    """Raises: LinkNotFound."""
    found = links.find(connection, identity, match_id)
    if found is None:
        raise LinkNotFound
    return found


def _seats(connection: Connection, org: str, match_id: str) -> int:
    """Raises: MatchNotFound."""
    own = (MATCH.c.match_id == match_id, MATCH.c.org == org)
    seats = connection.execute(select(MATCH.c.seats).where(*own)).scalar()
    if seats is None:
        raise MatchNotFound
    return int(seats)


def _refuse_participants(participants: tuple[str, ...], seats: int) -> None:
    """Raises: Invalid."""
    if participants and len(participants) != seats:
        raise Invalid(Fault("/participants", "wrong-length", f"has one for each of {seats} seats"))
    if len(set(participants)) < len(participants):
        raise Invalid(Fault("/participants", "repeated", "names a participant twice"))


def _with_address(wanted: ConnectionFields, adapter: Adapter) -> ConnectionFields:
    """No address is the usual one."""
    address = wanted.address or adapter.address or ""
    return msgspec.structs.replace(wanted, address=address)


def _refuse(parts: Parts, adapter: Adapter, wanted: ConnectionFields) -> None:
    """Raises: Invalid."""
    allow_private = parts.settings.private_webhooks
    # What is asked for comes behind it.
    if "?" in wanted.address or not is_address(wanted.address, allow_private=allow_private):
        raise Invalid(Fault("/address", "no-address", "is no public https address without a query"))
    _refuse_upwards("/tournament", wanted.tournament)
    if adapter.needs_tournament and not wanted.tournament:
        raise Invalid(Fault("/tournament", "missing", "this platform needs the tournament"))


def _refuse_upwards(pointer: str, identity: str) -> None:
    """Raises: Invalid."""
    if identity in UP:
        raise Invalid(Fault(pointer, "no-id", "is no id of a platform's"))


def _sealed(parts: Parts, identity: str, adapter: Adapter, known: Credentials) -> bytes:
    """Raises: Invalid."""
    if not adapter.takes(known):
        sets = " or ".join(" and ".join(each) or "nothing" for each in adapter.credentials)
        raise Invalid(Fault("/credentials", "wrong-credentials", f"this platform takes {sets}"))
    return parts.vault.seal_connection(identity, msgspec.json.encode(known))


def _fields(wanted: ConnectionFields) -> dict[str, Any]:
    fields = msgspec.structs.asdict(wanted)
    del fields["enabled"]
    return fields


def _enabled(before: Account | None, wanted: bool, now: int) -> dict[str, Any]:
    if wanted:
        return {"disabled": None, "disabled_at": None}
    if before is not None and before.disabled is not None:
        return {}
    return {"disabled": Held.BY_HAND, "disabled_at": now}


def _shown(account: Account) -> PlatformConnection:
    names = set(PlatformConnection.__struct_fields__) - {"enabled"}
    own = {name: getattr(account, name) for name in names}
    return PlatformConnection(**own, enabled=account.disabled is None)


def _told(link: Link, account: Account) -> PlatformLink:
    names = ("match_id", "target", "participants", "state", "attempts", "created_at", "log")
    wanted = link.wanted
    told = None
    if wanted is not None:
        told = WantedResult(wanted.status, wanted.revision, wanted.version, wanted.terminal)
    due = max(link.due_at, account.paused_until) if link.state is LinkState.PENDING else None
    return PlatformLink(**{name: getattr(link, name) for name in names}, wanted=told, next_at=due)
