"""`plyscribe export` and `import`: the matches of an organisation as bundles, out and in."""

from hashlib import sha256
from pathlib import Path

from events.database import Database, DatabaseFault
from events.sandbox import live_org
from events.store import MatchRow, SeatRow, Store
from service import keyring
from service.bundling import full_bundle, records_of
from service.callers import FIRST_ORG
from service.cli import archive, opening
from service.cli.archive import ExportedMatch, ExportedSeat, Index, Writer
from service.cli.configuration import DataDir, Flag, configured
from service.cli.orgs import assert_org
from service.cli.taking_in import take_in
from service.cli.terminal import CannotDo, progress, say, write
from service.settings import Settings
from service.vault import unlocked

BROKEN = 1
_AT_ONCE = 100


def export_org(
    path: Path,
    /,
    *,
    org: str = FIRST_ORG,
    operator: Flag = False,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> int:
    """Write all matches of an organisation as full bundles, with an index of them.

    The database is opened read-only; the service may run meanwhile. Left out are matches that are
    not revealed, unless --operator says so, and those of a deal group that is not revealed. Exits
    with 1 if the log of a match can't be read.

    Parameters
    ----------
    path
        A new folder, or a new file that ends in .zip.
    org
        The organisation.
    operator
        Also matches that are not revealed, with their seeds: whoever has the export sees every
        hidden thing of them.
    database_url
        The service's own database if left out.
    data_dir
        Where the key file of the service is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)

    async def task(database: Database) -> int:
        await database.read(lambda c: assert_org(c, org))
        with archive.created(path) as writer:
            return await _Export(settings, database, org, operator).write(writer)

    return opening.reading(settings, task)


def import_org(
    path: Path,
    /,
    *,
    org: str | None = None,
    database_url: str | None = None,
    data_dir: DataDir = None,
) -> int:
    """Take in the matches of an export, each checked first: all of it or nothing.

    A match that is there already is left as it is, so an import that broke off is simply started
    again. One that does not hold is refused with the reason, and the others are taken in. The
    organisation has to exist. On PostgreSQL the service may run meanwhile; on SQLite it has to be
    stopped. Exits with 1 if a match was refused.

    Parameters
    ----------
    path
        What plyscribe export wrote.
    org
        Into which organisation; by default one of the same id.
    database_url
        The service's own database if left out.
    data_dir
        Where the key file of the service is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    with archive.opened(path) as (index, files):
        into = org or index.org

        async def task(database: Database) -> int:
            await database.read(lambda c: assert_org(c, into))
            store = Store(database)
            vault = unlocked(settings, await store.secret_of_each_key())
            counts = {"taken in": 0, "there already": 0, "refused": 0}
            with progress("matches", len(index.matches)) as done:
                for number, each in enumerate(index.matches, 1):
                    outcome, reason = await take_in(store, vault, into, each, files)
                    counts[outcome] += 1
                    write(f"{each.match_id}  {outcome}{reason and ': '}{reason}")
                    done(number)
            say(", ".join(f"{count} {what}" for what, count in counts.items()))
            return BROKEN if counts["refused"] else 0

        return opening.writing(settings, task)


class _Export:
    def __init__(
        self, settings: Settings, database: Database, org: str, with_unrevealed: bool
    ) -> None:
        self._settings = settings
        self._database = database
        self._store = Store(database)
        self._org = org
        self._with_unrevealed = with_unrevealed
        self._matches: list[ExportedMatch] = []
        self._skipped: dict[str, str] = {}
        self._is_broken = False

    async def write(self, writer: Writer) -> int:
        """Raises: CannotDo, OSError, DatabaseFault."""
        named = await self._database.read(lambda c: keyring.org_named(c, live_org(self._org)))
        before: str | None = None
        while rows := await self._store.list_matches(self._org, None, before, _AT_ONCE):
            for row in rows:
                await self._match(writer, row)
            before = rows[-1].match_id
        matches = tuple(sorted(self._matches, key=lambda each: each.match_id))
        index = Index(archive.FORMAT, self._org, named.name, matches, self._skipped)
        writer.write(archive.INDEX, archive.encoded(index))
        for match_id, reason in self._skipped.items():
            write(f"{match_id}  left out: {reason}")
        say(f"{len(matches)} written, {len(self._skipped)} left out")
        return BROKEN if self._is_broken else 0

    async def _match(self, writer: Writer, row: MatchRow) -> None:
        try:
            await self._write(writer, row)
        except (DatabaseFault, CannotDo, OSError):
            raise
        except Exception as error:
            self._is_broken = True
            self._skipped[row.match_id] = f"can't be read: {type(error).__name__}"

    async def _write(self, writer: Writer, row: MatchRow) -> None:
        store, match_id = self._store, row.match_id
        records = await records_of(store, match_id, row.version)
        is_revealed = any(each.kind == "match_revealed" for each in reversed(records))
        if not is_revealed and (row.deal_group is not None or not self._with_unrevealed):
            group = "its deal group" if row.deal_group is not None else "it"
            self._skipped[match_id] = f"{group} is not revealed"
            return
        data = await full_bundle(store, records, await store.texts(match_id, 0, row.version))
        seats = [_seat(each) for each in await store.seats(match_id) if each.account is not None]
        told = ExportedMatch(
            match_id,
            sha256(data).hexdigest(),
            row.external_id,
            tuple(seats),
            None if is_revealed else (await self._seed(match_id)).hex(),
        )
        writer.write(told.file, data)
        self._matches.append(told)

    async def _seed(self, match_id: str) -> bytes:
        """Raises: CannotDo, VaultLocked."""
        secret = await self._store.secret(match_id)
        if secret is None:
            raise CannotDo(f"{match_id}: its seed is lost")
        return unlocked(self._settings, is_used=True).open(secret.id, secret.ciphertext)


def _seat(row: SeatRow) -> ExportedSeat:
    assert row.holder is not None
    return ExportedSeat(row.seat, row.holder, row.account)
