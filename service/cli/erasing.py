"""`plyscribe erase`: texts of a match, an account, the list of what was erased, and it again."""

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import msgspec
from cyclopts import Parameter
from sqlalchemy import Connection, select

from events.database import Database, DatabaseFault
from events.refusals import Refused
from events.snapshots import MatchCache
from events.store import Store
from events.tables import ERASED_ACCOUNT, ERASURE
from service.app import seed_dealer
from service.callers import FIRST_ORG
from service.cli import opening
from service.cli.configuration import DataDir, configured
from service.cli.orgs import assert_org
from service.cli.terminal import CannotDo, progress, say, write, write_json
from service.clock import wall_clock
from service.committing import Done
from service.crashing import crash_point
from service.entropy import POOL
from service.erasing import Eraser, Order, Target, erase_texts
from service.errors import row_of
from service.forgetting import erase_account
from service.identities import insert_new
from service.ids import match_id_in
from service.known_accounts import accounts_of
from service.parts import Dealers
from service.refusal import Refusal
from service.settings import Settings
from service.vault import unlocked

UNDONE: Final = 1
_PRINCIPAL: Final = "operator"
_AT_ONCE: Final = 100
_ERASED: Final = "erased"
_BEFORE: Final = "was erased before"
_AWAY: Final = "is not there"
_REFUSED: Final = "not erased"
_ADDRESSES: Final = "/v1/erasures and /v1/matches/{match}/erasures"


def _said(help_text: str) -> Parameter:
    return Parameter(help=help_text)


_LIST: Final = Parameter(
    name="--list", negative="", help="Print what was erased so far, to be kept beside backups."
)


class MatchLine(msgspec.Struct, frozen=True, kw_only=True, tag="match", tag_field="erased"):
    """What an `erased` event named; times in ms."""

    match_id: str
    version: int
    of: int | None
    field: str | None
    seat: int | None
    holder: str | None
    at: int
    reason: str | None


class AccountLine(msgspec.Struct, frozen=True, kw_only=True, tag="account", tag_field="erased"):
    """An account of an organisation, by a digest that the service's key makes."""

    org: str
    account: str
    at: int
    reason: str | None


_LINE: Final[msgspec.json.Decoder[MatchLine | AccountLine]] = msgspec.json.Decoder(
    MatchLine | AccountLine
)


def erase(
    match_id: Annotated[str | None, _said("The match, with --event and --field or --seat.")] = None,
    /,
    *,
    event: Annotated[int | None, _said("The version of the event with the text.")] = None,
    field: Annotated[str | None, _said("The name of the text in that event.")] = None,
    seat: Annotated[int | None, _said("All that this seat said so far.")] = None,
    account: Annotated[str | None, _said("Instead of a match: all about this account.")] = None,
    org: Annotated[str, _said("The organisation of the account.")] = FIRST_ORG,
    reason: Annotated[str | None, _said("Kept with the list; it should name nobody.")] = None,
    show_list: Annotated[bool, _LIST] = False,
    again: Annotated[Path | None, _said("Erase all of such a list, after a restore.")] = None,
    database_url: Annotated[str | None, _said("The service's own if left out.")] = None,
    data_dir: DataDir = None,
) -> int:
    """Erase what somebody said in a match, or everything about an account.

    The log and its proofs stay as they are; an event says what was erased. What broke off goes on
    when it is asked for again. On SQLite the service has to be stopped, or asked instead. Exits
    with 1 if something could not be erased.

    Parameters
    ----------
    data_dir
        Where the key file of the service is.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    if sum(each is not None for each in (match_id, account, again)) + show_list != 1:
        raise CannotDo("name one of: a match, --account, --list, --again")
    if show_list:
        return _print_list(settings)
    order = Order(_PRINCIPAL, reason)
    if again is not None:
        lines = _read(again)
        return _erasing(settings, lambda eraser: _again(eraser, lines))
    if account is not None:
        return _erasing(settings, lambda eraser: _account(eraser, org, account, order))
    target = _target(match_id or "", event, field, seat)
    return _erasing(settings, lambda eraser: _match(eraser, match_id or "", target, order))


def _print_list(settings: Settings) -> int:
    for line in opening.read(settings, lambda c: list(_lines(c))):
        write_json(line)
    return 0


def _target(match_id: str, event: int | None, field: str | None, seat: int | None) -> Target:
    """Raises: CannotDo."""
    if match_id_in(match_id) is None:
        raise CannotDo(f"{match_id!r} is no match id")
    is_text = event is not None and field is not None
    if is_text == (seat is not None) or (event is None) != (field is None):
        raise CannotDo("say what to erase: --event and --field, or --seat")
    return Target(event, field, seat)


def _erasing(settings: Settings, work: Callable[[Eraser], Awaitable[int]]) -> int:
    """Raises: CannotDo, SettingRefused, DatabaseFault."""

    async def task(database: Database) -> int:
        store = Store(database, crash_point(settings))
        vault = unlocked(settings, await store.secret_of_each_key(), is_used=True)
        dealers = Dealers(store, vault, seed_dealer)
        cache = MatchCache(store)
        eraser = Eraser(
            store, cache, dealers, vault, wall_clock, POOL, lambda _after, _sealed: None, _unheard
        )
        try:
            return await work(eraser)
        finally:
            await cache.close()

    return opening.writing(settings, task, _ADDRESSES)


def _unheard(_hashes: Sequence[bytes]) -> None:
    """Nobody here has let anybody in."""


async def _match(eraser: Eraser, match_id: str, target: Target, order: Order) -> int:
    try:
        done = await erase_texts(eraser, match_id, target, order)
    except (Refused, Refusal) as refused:
        raise CannotDo(f"{match_id}: {row_of(refused).detail}") from None
    write(f"{match_id}  {_word(done)}: event {done.receipt.last}")
    return 0


def _word(done: Done) -> str:
    return _BEFORE if done.replayed else _ERASED


async def _account(eraser: Eraser, org: str, account: str, order: Order) -> int:
    await eraser.store.database.read(lambda c: assert_org(c, org))
    count, failed, more = 0, set[str](), True
    while more:
        found = await erase_account(eraser, org, account, order, _AT_ONCE)
        count, more = count + found.matches, found.more
        failed.update(found.failed)
        if more:
            say(f"{count} matches so far")
    for each in sorted(failed):
        write(f"{each}  can't be erased: its log takes nothing, or can't be read")
    say(f"{count} matches erased, {len(failed)} not")
    return UNDONE if failed else 0


async def _again(eraser: Eraser, lines: list[MatchLine | AccountLine]) -> int:
    came: Counter[str] = Counter()
    # Before anything is done: the lines of its matches may leave nothing to know an account by.
    accounts = await _accounts_again(eraser, [e for e in lines if isinstance(e, AccountLine)])
    with progress("erasures", len(lines)) as done:
        for number, line in enumerate(lines, 1):
            if isinstance(line, MatchLine):
                came[await _match_again(eraser, line)] += 1
            done(number)
    of_lines = ", ".join(f"{came[word]} {word}" for word in (_ERASED, _BEFORE, _AWAY, _REFUSED))
    say(f"{came.total()} lines of matches: {of_lines}")
    failed = came[_REFUSED]
    for number, (org, account) in enumerate(accounts, 1):
        say(f"account {number} of {len(accounts)}, beside those lines:")
        failed += await _account(eraser, org, account, Order(_PRINCIPAL, again=True))
    return UNDONE if failed else 0


async def _accounts_again(eraser: Eraser, lines: list[AccountLine]) -> list[tuple[str, str]]:
    """Organisation and name of those that are there; all of the lines are kept."""
    database, by_org = eraser.store.database, dict[str, list[str]]()
    for line in lines:
        row = msgspec.structs.asdict(line)
        await database.write(lambda c, row=row: insert_new(c, ERASED_ACCOUNT, row))  # type: ignore[misc]
        by_org.setdefault(line.org, []).append(line.account)
    return [
        (org, account)
        for org, digests in by_org.items()
        for account in await accounts_of(database, eraser.vault, org, digests)
    ]


async def _match_again(eraser: Eraser, line: MatchLine) -> str:
    """What came of it, in a word."""
    if await eraser.store.match(line.match_id) is None:
        write(f"{line.match_id}  {_AWAY}")
        return _AWAY
    target = Target(line.of, line.field, line.seat, line.holder)
    try:
        done = await erase_texts(
            eraser, line.match_id, target, Order(_PRINCIPAL, line.reason, again=True)
        )
    except (Refused, Refusal) as refused:
        write(f"{line.match_id}  {_REFUSED}: {row_of(refused).detail}")
        return _REFUSED
    except DatabaseFault:
        raise
    except Exception as error:
        write(f"{line.match_id}  {_REFUSED}: it can't be read ({type(error).__name__})")
        return _REFUSED
    write(f"{line.match_id}  {_word(done)}: event {done.receipt.last}")
    return _BEFORE if done.replayed else _ERASED


def _lines(connection: Connection) -> Iterator[MatchLine | AccountLine]:
    query = select(ERASURE).order_by(ERASURE.c.match_id, ERASURE.c.version)
    for row in connection.execute(query):
        fields: dict[str, Any] = dict(row._mapping)
        yield MatchLine(of=fields.pop("said"), **fields)
    for row in connection.execute(select(ERASED_ACCOUNT).order_by(*ERASED_ACCOUNT.primary_key)):
        yield AccountLine(**row._mapping)


def _read(path: Path) -> list[MatchLine | AccountLine]:
    """Raises: CannotDo, OSError."""
    found = []
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        try:
            found.append(_LINE.decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise CannotDo(f"{path}: line {number} is none of plyscribe erase --list") from None
    return found
