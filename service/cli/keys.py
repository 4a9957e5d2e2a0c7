"""`plyscribe keys`: who may call the service, and what for, for the operator of its database."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Final

import msgspec
from cyclopts import Parameter
from cyclopts.validators import Number
from sqlalchemy import Connection

from events.sandbox import sandbox_of
from service import keyring
from service.callers import ADMIN, FIRST_ORG, Scope, allowed_in
from service.cli import opening
from service.cli.configuration import DataDir, Flag, configured
from service.cli.orgs import assert_org, date, name_in, plain, tell_secret
from service.cli.terminal import CannotDo, plain_table, say, show, write, write_json
from service.clock import wall_clock
from service.keyring import Key, NewKey
from service.said import LONGEST_AGO

_NONE: Final = "-"
Words = Annotated[list[str], Parameter(negative="")]
Overlap = Annotated[int, Parameter(validator=Number(gte=0, lte=LONGEST_AGO))]


def list_keys(
    *,
    org: str | None = None,
    json: Flag = False,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> None:
    """List the API keys, the newest first; the service may run meanwhile.

    Parameters
    ----------
    org
        Of this organisation alone.
    json
        One JSON object a line.
    database_url
        The service's own database if left out.
    data_dir
        Where the SQLite file is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    found = opening.read(settings, lambda c: _keys(c, org))
    if json:
        for each in found:
            write_json(each)
        return
    now = wall_clock()
    table = plain_table(None, "id", "prefix", "org", "name", "scopes", "created", "state")
    for each in found:
        shown = (each.id, each.prefix, each.owner, each.name, _told(each))
        row = (*shown, date(each.created_at), _state(each, now))
        table.add_row(*map(plain, row))
    show(table)


def create_key(
    name: str,
    /,
    *,
    scope: Words,
    org: str = FIRST_ORG,
    expires_at: datetime | None = None,
    test: Flag = False,
    json: Flag = False,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> None:
    """Create an API key. It is printed once; only its hash is stored.

    A service on PostgreSQL knows it at once. One that runs on SQLite has to be stopped first.

    Parameters
    ----------
    name
        What the key is for.
    scope
        What it may do, such as matches:create; give it again for more, "admin" for everything.
    org
        The organisation it belongs to.
    expires_at
        When it ends, as 2030-12-31 or 2030-12-31T18:00:00; in UTC if nothing else is said.
    test
        It acts in the sandbox of the organisation.
    json
        The key as JSON.
    database_url
        The service's own database if left out.
    data_dir
        Where the SQLite file is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    at = wall_clock()
    owner = sandbox_of(org) if test else org
    wanted = NewKey(name_in(name), _scopes(scope, owner), _ms(expires_at, at), test)

    def work(connection: Connection) -> tuple[Key, str]:
        assert_org(connection, org)
        return keyring.new_key(connection, org, wanted, at)

    _tell_made(*opening.write(settings, work), json)


def rotate_key(
    key: str,
    /,
    *,
    overlap_seconds: Overlap = 0,
    json: Flag = False,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> None:
    """Make a key in the place of another: the same scopes, name and end.

    Parameters
    ----------
    key
        The id of the old key, or its visible part: pk_<prefix> or pt_<prefix>.
    overlap_seconds
        How long the old key works on.
    json
        The new key as JSON.
    database_url
        The service's own database if left out.
    data_dir
        Where the SQLite file is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)

    def work(connection: Connection) -> tuple[Key, str]:
        old = _named(connection, key)
        made, secret, _ = keyring.rotated(connection, old, overlap_seconds, wall_clock())
        return made, secret

    _tell_made(*opening.write(settings, work), json)


def revoke_key(key: str, /, *, database_url: str | None = None, data_dir: DataDir = None) -> None:
    """Revoke a key, for good. A running service takes it for PLYSCRIBE_TOKEN_SECONDS at most.

    Parameters
    ----------
    key
        Its id, or its visible part: pk_<prefix> or pt_<prefix>.
    database_url
        The service's own database if left out.
    data_dir
        Where the SQLite file is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)

    def work(connection: Connection) -> Key:
        found = _named(connection, key)
        keyring.revoked(connection, found, wall_clock())
        return found

    gone = opening.write(settings, work)
    say(f"{gone.prefix} ({gone.id}) of {gone.owner} works no more")


def _keys(connection: Connection, org: str | None) -> list[Key]:
    if org is not None:
        assert_org(connection, org)
    return keyring.keys_of(connection, org, None, None)


def _named(connection: Connection, word: str) -> Key:
    """Raises: CannotDo."""
    match keyring.keys_named(connection, word):
        case [found]:
            return found
        case []:
            raise CannotDo(f"there is no key {word!r} that could be revoked or rotated")
        case several:
            ids = ", ".join(each.id for each in several)
            raise CannotDo(f"{word} is the visible part of several keys: name one by id ({ids})")


def _scopes(words: Sequence[str], org: str) -> tuple[Scope, ...]:
    """Raises: CannotDo."""
    if ADMIN in words:
        return allowed_in(org, Scope)
    unknown = [word for word in words if word not in list(Scope)]
    if unknown:
        raise CannotDo(f"there is no scope {unknown[0]!r}: use {', '.join(Scope)}, or {ADMIN}")
    scopes = allowed_in(org, map(Scope, words))
    if len(scopes) < len(set(words)):
        raise CannotDo(f"the scope {Scope.ORGS_MANAGE} is for keys of {FIRST_ORG} alone")
    return scopes


def _ms(given: datetime | None, now: int) -> int | None:
    """Raises: CannotDo for a time that is past."""
    if given is None:
        return None
    at = given if given.tzinfo is not None else given.replace(tzinfo=UTC)
    if (ms := int(at.timestamp() * 1000)) <= now:
        raise CannotDo(f"--expires-at: {at.isoformat()} is past")
    return ms


def _tell_made(key: Key, secret: str, as_json: bool) -> None:
    if as_json:
        write_json({**msgspec.to_builtins(key), "secret": secret})
        return
    write(f"id         {key.id}")
    write(f"scopes     {_told(key)}")
    if key.expires_at is not None:
        write(f"expires    {date(key.expires_at)}")
    tell_secret(secret)


def _state(key: Key, now: int) -> str:
    if key.revoked_at is not None:
        return f"revoked {date(key.revoked_at)}"
    if key.expires_at is None:
        return "works"
    return f"{'expired' if key.expires_at <= now else 'works until'} {date(key.expires_at)}"


def _told(key: Key) -> str:
    has_all = key.scopes == allowed_in(key.owner, Scope)
    return ADMIN if has_all else " ".join(key.scopes) or _NONE
