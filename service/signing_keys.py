"""The keys this service signs with: made once, kept encrypted, rotated, and told in the log."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, Text, bindparam, cast, insert, select, update

from events import feedsql
from events.canonical import canonical
from events.database import Database
from events.sealing import Entropy
from events.signing import (
    SEED_BYTES,
    KeySet,
    PublicKey,
    Purpose,
    Signature,
    SigningKey,
    new_key,
    sign,
)
from events.statements import INTRODUCED, ORIGIN_CHANGED, RETIRED, TAG, Statement
from events.tables import CHECKPOINT, FEED_STATE, SIGNING_KEY, STATEMENT
from service.ids import new_match_id
from service.settings import PREFIX, SettingRefused
from service.vault import Vault, VaultLocked

OVERLAP_MS: Final = (
    60_000  # a key that is replaced signs on for so long, until all know the new one
)


class SigningKeys:
    """The keys as this process knows them; `refresh` reads what others changed."""

    def __init__(
        self, database: Database, vault: Vault, clock: Callable[[], int], entropy: Entropy
    ) -> None:
        self._database = database
        self._vault = vault
        self._clock = clock
        self._entropy = entropy
        self._keys: tuple[SigningKey, ...] = ()
        self.public = KeySet(())
        self.origin = ""

    async def open(self, origin: str | None) -> None:
        """Make what is missing, and know all. `origin` is the name of the log that is set, if any.

        Raises: SettingRefused for a key that does not open, and for an origin other than the one
        that checkpoints were signed for; DatabaseFault.
        """
        await self._database.write(lambda c: self._make_missing(c, origin))
        await self.refresh()
        if origin is not None and origin != self.origin:
            raise SettingRefused(
                PREFIX + "LOG_ORIGIN",
                f"the log is signed as {self.origin}; plyscribe log new-origin gives it another "
                "name",
            )

    async def refresh(self) -> None:
        """Raises: SettingRefused, DatabaseFault."""
        rows = await self._database.read(lambda c: c.execute(_KEYS).all())
        found = await self._database.read(lambda c: c.execute(_ORIGIN).scalar())
        self.public = KeySet(_public(row) for row in rows)
        self._keys = tuple(filter(None, map(self._usable, rows)))
        self.origin = found or ""

    async def told(self) -> KeySet:
        """The public keys with their places in the log, as soon as they have them."""
        if not all(each.is_placed for each in self.public):
            await self.refresh()
        return self.public

    def active(self, purpose: Purpose) -> list[SigningKey]:
        """Those that sign now, the newest first. There is always one."""
        now = self._clock()
        usable = [each for each in self._keys if each.public.purpose is purpose]
        return [each for each in usable if each.public.is_active(now)] or usable[:1]

    def sign(self, purpose: Purpose, tag: str, payload: bytes) -> Signature:
        """By the newest key for that purpose; see events/signing.py for `tag`."""
        return sign(self.active(purpose)[0], tag, payload)

    def sign_as_of(self, purpose: Purpose, tag: str, payload: bytes, at: int) -> Signature:
        """By the key in charge at a time in ms, so that signing again gives the same bytes.

        A key that replaces another is in charge once the other one is retired: by then every
        process knows of both.
        """
        usable = [each for each in reversed(self._keys) if each.public.purpose is purpose]
        by = next((each for each in usable if each.public.is_active(at)), usable[-1])
        return sign(by, tag, payload)

    async def rotate(self, purpose: Purpose) -> PublicKey:
        """A new key for a purpose. The old ones sign on for a minute, then they are retired.

        Every process comes to know within that time. Raises: DatabaseFault.
        """
        made = await self._database.write(lambda c: self._rotate(c, purpose))
        await self.refresh()
        return made

    async def change_origin(self, origin: str, previous: dict[str, Any], reason: str) -> None:
        """Give the log another name, with a signed statement of the break.

        `previous` are origin, size and root (base64) of the last checkpoint under the old name, as
        far as it is known. Raises: DatabaseFault.
        """
        at = self._clock()
        told = {"at": at, "kind": ORIGIN_CHANGED, "origin": origin}
        leaf = canonical({**told, "previous": previous, "reason": reason})
        by = self.active(Purpose.CHECKPOINTS)[-1]

        def work(connection: Connection) -> None:
            _lock(connection)
            connection.execute(update(FEED_STATE).values(origin=origin))
            self._state(connection, ORIGIN_CHANGED, origin, leaf, by)

        await self._database.write(work)
        await self.refresh()

    async def statements(self, after: int, limit: int) -> list[Statement]:
        """Those in the feed after a position, in order."""
        rows = await self._database.read(
            lambda c: c.execute(_STATED, {"after": after, "most": limit}).all()
        )
        return [_statement(*row) for row in rows]

    def _make_missing(self, connection: Connection, origin: str | None) -> None:
        _lock(connection)
        rows = connection.execute(_KEYS).all()
        there = {_public(row).purpose for row in rows}
        by = self._opened(_newest(rows, Purpose.CHECKPOINTS)) if there else None
        for purpose in (each for each in Purpose if each not in there):
            made = self._new(connection, purpose, by, self._clock())
            by = by or made
        named = connection.execute(_ORIGIN).scalar()
        is_signed = connection.execute(select(CHECKPOINT.c.size).limit(1)).first() is not None
        if named is None or (origin is not None and not is_signed):
            named = origin or f"plyscribe.invalid/{self._entropy(8).hex()}"
            connection.execute(update(FEED_STATE).values(origin=named))

    def _rotate(self, connection: Connection, purpose: Purpose) -> PublicKey:
        _lock(connection)
        rows = connection.execute(_KEYS).all()
        now = self._clock()
        in_use = [row for row in rows if row.retired_at is None]
        # The key that signed so far vouches for the new one.
        by = self._opened(_newest(in_use, Purpose.CHECKPOINTS))
        # Later than every other one, whatever the clock says: the newest signs.
        made = self._new(connection, purpose, by, max(now, 1 + max(row.created_at for row in rows)))
        for row in (each for each in in_use if each.purpose == purpose):
            until = now + OVERLAP_MS
            own = update(SIGNING_KEY).where(SIGNING_KEY.c.id == row.id)
            connection.execute(own.values(retired_at=until))
            gone = msgspec.structs.replace(_public(row), retired_at=until)
            self._state(connection, RETIRED, row.id, gone.retirement(), by)
        return made.public

    def _new(
        self, connection: Connection, purpose: Purpose, by: SigningKey | None, at: int
    ) -> SigningKey:
        """A key with the statement that makes it known, which the first of all signs itself."""
        seed = self._entropy(SEED_BYTES)
        identity, made = self._id(at), new_key(purpose, seed, at)
        row = {
            "id": identity,
            "purpose": purpose.value,
            "public": made.public.public,
            "ciphertext": self._vault.seal_signing(identity, seed),
            "key_id": self._vault.key_id,
            "created_at": at,
            "retired_at": None,
        }
        connection.execute(insert(SIGNING_KEY), [row])
        introduction = made.public.introduction()
        first = by or made
        self._state(connection, INTRODUCED, identity, introduction, first)
        return made

    def _state(
        self, connection: Connection, kind: str, subject: str, leaf: bytes, by: SigningKey
    ) -> None:
        row = {"id": self._id(self._clock()), "subject": subject, "kind": kind, "leaf": leaf}
        signature = msgspec.json.encode(sign(by, TAG, leaf))
        connection.execute(insert(STATEMENT), [{**row, "signature": signature, "position": None}])

    def _id(self, at: int) -> str:
        return new_match_id(at, self._entropy(10))

    def _usable(self, row: Row[Any]) -> SigningKey | None:
        """A retired key says again what it said; that it opens no more stops nothing.

        Raises: SettingRefused for one that signs.
        """
        if _public(row).is_active(self._clock()):
            return self._opened(row)
        with suppress(SettingRefused):
            return self._opened(row)
        return None

    def _opened(self, row: Row[Any]) -> SigningKey:
        """Raises: SettingRefused."""
        try:
            seed = self._vault.open_signing(row.id, bytes(row.ciphertext))
        except VaultLocked:
            raise SettingRefused(
                PREFIX + "SECRET_KEY",
                "it does not open the signing keys in the database; they were sealed with another "
                "one",
            ) from None
        return SigningKey(_public(row), new_key(Purpose(row.purpose), seed, row.created_at).private)


def public_keys(connection: Connection) -> KeySet:
    """All keys as everybody may know them, for who has no key that opens them."""
    return KeySet(_public(row) for row in connection.execute(_KEYS))


def all_statements(connection: Connection) -> list[Statement]:
    """Those in the feed, in order."""
    rows = connection.execute(_STATED.limit(None), {"after": 0})
    return [_statement(*row) for row in rows]


async def is_used(database: Database) -> bool:
    """Whether there are keys in the database, so that a secret key for them exists somewhere."""
    return await database.read(lambda c: c.execute(_KEYS.limit(1)).first() is not None)


def _statement(position: int, leaf: bytes, signature: bytes) -> Statement:
    signed = msgspec.json.decode(signature, type=Signature)
    return Statement(signed.kid, position, signed.signature, msgspec.Raw(bytes(leaf)))


def _lock(connection: Connection) -> None:
    """One process at a time makes or changes keys."""
    feedsql.bound_pause(connection)
    connection.execute(update(FEED_STATE).values(id=FEED_STATE.c.id))


def _newest(rows: Sequence[Row[Any]], purpose: Purpose) -> Row[Any]:
    return next(row for row in rows if row.purpose == purpose)


def _public(row: Row[Any]) -> PublicKey:
    times = (row.created_at, row.retired_at)
    return PublicKey(Purpose(row.purpose), bytes(row.public), *times, row.introduced, row.retired)


def _place(kind: str) -> Any:
    """The position in the feed of the statement of that kind about a key."""
    of_key = (STATEMENT.c.kind == kind, STATEMENT.c.subject == cast(SIGNING_KEY.c.id, Text))
    return select(STATEMENT.c.position).where(*of_key).scalar_subquery()


# The newest first.
_KEYS = select(
    SIGNING_KEY, _place(INTRODUCED).label("introduced"), _place(RETIRED).label("retired")
).order_by(SIGNING_KEY.c.created_at.desc(), SIGNING_KEY.c.id.desc())
_ORIGIN = select(FEED_STATE.c.origin)
_STATED = (
    select(STATEMENT.c.position, STATEMENT.c.leaf, STATEMENT.c.signature)
    .where(STATEMENT.c.position > bindparam("after"))
    .order_by(STATEMENT.c.position)
    .limit(bindparam("most"))
)
