"""A next release of the service: this one, changed in the process that runs it.

It has a migration in two steps, writes a new column, and notes whose snapshots it has saved. These
mean something else than they would here: who misread one would give decisions other ids.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from alembic.config import Config
from msgspec.structs import fields as fields_of
from msgspec.structs import replace
from sqlalchemy import BigInteger, Column, Connection, MetaData, Table, text

from events import flush, snapshots
from events import match as folding
from events.canonical import canonical, decoded
from events.match import Match
from events.schema import UnknownSchema
from events.store import Store
from events.tables import MATCH
from events.types import Event, Record
from games.core.game import AnyGame
from service import app, migrate

HEAD = migrate.head_revision()
EXPANDED, CONTRACTED = "9001", "9002"
RATING = 1500
SAVED_EVERY = 4  # events, in every release of these tests
_FOLDER = Path(__file__).parent
_MORE = 1_000
_SAVED = text("INSERT INTO rating VALUES (:of, 0) ON CONFLICT DO NOTHING")
_CODE = b"of the next release"


def this_release() -> None:
    made = snapshots.MatchCache.__init__
    usual = made.__defaults__ or ()
    assert usual.count(snapshots.EVERY) == 1
    made.__defaults__ = tuple(SAVED_EVERY if each == snapshots.EVERY else each for each in usual)


def next_release() -> None:
    this_release()
    _migrate_to("expand")
    _write_ratings()
    _save_otherwise()


def hasty_release() -> None:
    """The next one, and it needs the second step of its migration to start."""
    next_release()
    migrate.head_revision = lambda: CONTRACTED
    vars(app)["head_revision"] = migrate.head_revision


def trusting_release() -> None:
    """This one, but it takes every snapshot for one of its own."""
    this_release()
    vars(snapshots)["fingerprint"] = _any_code


def next_to_a_trusting_release() -> None:
    next_release()
    vars(snapshots)["fingerprint"] = _any_code


def careless_release() -> None:
    """This one, but it passes over what it does not know in an event."""
    this_release()
    plain, known = folding.decode, {each.__struct_config__.tag: each for each in get_args(Event)}

    def decode(record: Record) -> Event:
        try:
            return plain(record)
        except UnknownSchema:
            body = decoded(record.body)
            fields = {"kind", *(each.encode_name for each in fields_of(known[record.kind]))}
            body = {name: value for name, value in body.items() if name in fields}
            return plain(replace(record, body=canonical(body)))

    folding.decode = decode


def expand_and_contract(url: str) -> None:
    """Both steps at once, as if nobody ran any more who does not know of them."""
    contract(url)


def expand(url: str) -> None:
    _migrate_to("expand")
    migrate.upgrade(url)


def contract(url: str) -> None:
    _migrate_to("expand", "contract")
    migrate.upgrade(url)


def _any_code(_game: AnyGame) -> bytes:
    return _CODE


def _migrate_to(*steps: str) -> None:
    plain = migrate._config

    def config(connection: Connection | None = None) -> Config:
        made = plain(connection)
        own = f"{made.get_main_option('script_location')}/versions"
        folders = [own, *(str(_FOLDER / step) for step in steps)]
        made.set_main_option("version_locations", ":".join(folders))
        return made

    migrate._config = config


def _write_ratings() -> None:
    plain, wide = flush._insert, MATCH.to_metadata(MetaData())
    wide.append_column(Column("rating", BigInteger()))

    def insert(
        connection: Connection, table: Table, rows: Sequence[flush.Row], conflict: str = ""
    ) -> None:
        if table is MATCH:
            table, rows = wide, [(*row, RATING) for row in rows]
        plain(connection, table, rows, conflict)

    flush._insert = insert


def _save_otherwise() -> None:
    save, saved = snapshots.save, snapshots.saved

    async def save_so(store: Store, current: Match) -> None:
        await save(store, replace(current, asked=tuple(each + _MORE for each in current.asked)))
        await store.database.write(lambda c: c.execute(_SAVED, {"of": current.match_id}))

    async def saved_so(store: Store, match_id: str) -> Match | None:
        found = await saved(store, match_id)
        if found is None:
            return None
        return replace(found, asked=tuple(each - _MORE for each in found.asked))

    snapshots._code = lambda game: _CODE
    snapshots.fingerprint.cache_clear()
    snapshots.save, snapshots.saved = save_so, saved_so
