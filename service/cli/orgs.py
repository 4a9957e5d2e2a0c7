"""`plyscribe orgs`: organisations, and how they and their keys are told on the command line."""

from datetime import UTC, datetime

import msgspec
from rich.markup import escape
from sqlalchemy import Connection

from events.sandbox import live_org
from service import keyring
from service.callers import FIRST_ORG
from service.cli import opening
from service.cli.configuration import DataDir, Flag, configured
from service.cli.terminal import CannotDo, plain_table, say, show, write, write_json
from service.clock import wall_clock
from service.errors import OrgExists, OrgNotFound
from service.keyring import Org
from service.rest.bodies import OrgBody
from service.rest.inputs import NAME_LENGTH


def list_orgs(
    *, json: Flag = False, database_url: str | None = None, data_dir: DataDir = None
) -> None:
    """List the organisations by id; the service may run meanwhile.

    Parameters
    ----------
    json
        One JSON object a line.
    database_url
        The service's own database if left out.
    data_dir
        Where the SQLite file is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    found = opening.read(settings, lambda c: keyring.orgs_after(c, None, None))
    if json:
        for each in found:
            write_json(each)
        return
    table = plain_table(None, "id", "name", "created")
    for each in found:
        table.add_row(*map(plain, (each.id, each.name, date(each.created_at))))
    show(table)


def create_org(
    org: str,
    /,
    *,
    name: str | None = None,
    json: Flag = False,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> None:
    """Create an organisation, and print its first key, which can do everything there.

    Parameters
    ----------
    org
        Its id: lower-case letters, digits and hyphens.
    name
        How it is called; by its id if left out.
    json
        The organisation as JSON.
    database_url
        The service's own database if left out.
    data_dir
        Where the SQLite file is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    try:
        wanted = msgspec.convert({"id": org, "name": name_in(name or org)}, OrgBody)
    except msgspec.ValidationError:
        raise CannotDo(
            f"{org!r} is no id: it has lower-case letters, digits and hyphens, 63 at most"
        ) from None

    def work(connection: Connection) -> tuple[Org, str]:
        try:
            return keyring.new_org(connection, wanted.id, wanted.name or org, wall_clock())
        except OrgExists:
            raise CannotDo(f"there is an organisation {org} already") from None

    made, secret = opening.write(settings, work)
    if json:
        write_json({**msgspec.to_builtins(made), "secret": secret})
        return
    write(f"org        {made.id}")
    tell_secret(secret)


def assert_org(connection: Connection, org: str) -> None:
    """There is that organisation, or the one whose sandbox it is. Raises: CannotDo."""
    try:
        keyring.org_named(connection, live_org(org))
    except OrgNotFound:
        first = " yet: the first start makes it" if org == FIRST_ORG else ""
        raise CannotDo(f"there is no organisation {org!r}{first}") from None


def name_in(name: str) -> str:
    """Raises: CannotDo."""
    if not 1 <= len(name) <= NAME_LENGTH or not name.isprintable():
        raise CannotDo(f"a name has 1 to {NAME_LENGTH} printable characters")
    return name


def tell_secret(secret: str) -> None:
    write(f"key        {secret}")
    say("it is shown this once, so keep it")


def date(ms: int) -> str:
    try:
        return f"{datetime.fromtimestamp(ms / 1000, UTC):%Y-%m-%d %H:%M:%S}"
    except (ValueError, OverflowError, OSError):
        return str(ms)


def plain(text: str) -> str:
    """What others called their keys, without effects on a terminal."""
    return escape(
        "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
    )
