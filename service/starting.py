"""What a start finds or makes: the database with its schema, and the first admin key."""

import asyncio
from pathlib import Path

from sqlalchemy import Connection

from events.database import Database, parsed_url
from service import credentials, identities
from service.migrate import current_revision, upgrade
from service.settings import Settings


async def opened_database(settings: Settings, schema: str) -> Database:
    """Raises: DatabaseFault; SchemaBehind but on SQLite, which is brought to the newest schema."""
    url = parsed_url(settings.database_url)
    if url.get_backend_name() == "sqlite":
        Path(str(url.database)).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        await asyncio.to_thread(_upgraded, settings.database_url, schema)
    database = await Database.open(settings.database_url)
    try:
        await database.require(schema)
    except BaseException:
        await database.close()
        raise
    return database


def _upgraded(url: str, schema: str) -> None:
    if current_revision(url) != schema:
        upgrade(url)


async def first_key(database: Database, settings: Settings, at: int) -> str | None:
    """Make the admin key that is set, or at the very first start a random one: what to show."""
    key = settings.admin_key or credentials.new_api_key()
    stored, prefix = credentials.stored(key), credentials.prefix_of(key)

    def work(connection: Connection) -> bool:
        is_first = identities.add_org(connection, identities.FIRST_ORG, at)
        if settings.admin_key is not None or is_first:
            identities.add_key(connection, stored, prefix, at)
        return is_first

    is_first = await database.write(work)
    return key if is_first and settings.admin_key is None else None
