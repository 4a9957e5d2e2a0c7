"""One exported match checked and stored: all of it in one transaction, or nothing."""

from hashlib import sha256
from typing import Final

from events.append import (
    Append,
    Appended,
    Conflict,
    GameData,
    NewMatch,
    Replayed,
    SeatRow,
    Secret,
)
from events.bundle import Bundle
from events.canonical import prefixed
from events.chain import genesis
from events.match import Match, fold
from events.sandbox import is_test
from events.store import Store
from events.unpacking import records_of
from events.verify import opens
from events.verify_bundle import verify_bundle
from games.core.game import ALL
from service.cli.archive import ExportedMatch, Files
from service.cli.terminal import CannotDo
from service.cli.verifying import fault_of
from service.committing import result_bytes
from service.vault import Vault

_CHECKED: Final = frozenset({"chain", "facets", "moves", "draws", "answers", "outcome"})
_KEY: Final = "import"


async def take_in(
    store: Store, vault: Vault, org: str, told: ExportedMatch, files: Files
) -> tuple[str, str]:
    """`taken in`, `there already`, or `refused` and why. Raises: DatabaseFault."""
    try:
        append = _append(vault, org, told, files)
    except CannotDo as error:
        return "refused", str(error)
    there = await store.match(told.match_id)
    if there is not None and there.org != org:
        return "refused", "another organisation has a match of that id"
    answer = await store.append(append)
    last = append.last
    match answer:
        case Appended():
            return "taken in", ""
        case Replayed():
            return "there already", ""
        case Conflict(version=last.version, head=last.hash):
            return "there already", ""
        case _:
            return "refused", "there is another log of that match"


def _append(vault: Vault, org: str, told: ExportedMatch, files: Files) -> Append:
    """Raises: CannotDo for what may not be taken in."""
    bundle, seed = _checked(told, files)
    created, records = bundle.created, records_of(bundle)
    if created.test != is_test(org):
        kind = "is a test match" if created.test else "is no test match"
        raise CannotDo(f"it {kind}, and {org} is another world")
    after = fold(records)
    assert after is not None
    secret_id = created.deal_group or created.match_id
    tables = GameData(created.data_digest, created.game, bundle.tables) if bundle.tables else None
    last = records[-1]
    return Append(
        match_id=created.match_id,
        key=_KEY,
        request=vault.request_hash(prefixed(_KEY, last.hash)),
        expected_version=0,
        expected_hash=genesis(created.match_id, created.seats, created.format),
        records=records,
        status=after.status,
        result=result_bytes(after.outcome),
        texts=bundle.texts,
        seats=_seats(told, after),
        created=NewMatch(
            org=org,
            game=created.game,
            rules_version=created.rules_version,
            seats=created.seats,
            data_digest=created.data_digest,
            created_at=created.at,
            external_id=told.external_id,
            deal_group=created.deal_group,
            secret=Secret(secret_id, vault.seal(secret_id, seed), vault.key_id),
            game_data=tables,
        ),
    )


def _checked(told: ExportedMatch, files: Files) -> tuple[Bundle, bytes]:
    """The bundle, all of which holds, and the seed. Raises: CannotDo."""
    data = files.read(told.file)
    if sha256(data).hexdigest() != told.sha256:
        raise CannotDo("the file is not the one of the index")
    try:
        seed = None if told.seed is None else bytes.fromhex(told.seed)
    except ValueError:
        raise CannotDo("its seed can't be read") from None
    found = verify_bundle(data, seed=seed)
    if found.fault is not None or found.bundle is None:
        raise CannotDo(fault_of(found))
    bundle = found.bundle
    if bundle.viewer != ALL or bundle.created.match_id != told.match_id:
        raise CannotDo("it is not the full bundle of that match")
    known = bundle.seed or seed
    if known is None or not opens(known, bundle.created):
        raise CannotDo("it is not revealed, and there is no seed of it")
    if not set(found.checked) >= _CHECKED:
        raise CannotDo(f"not all of it can be checked here: {'; '.join(found.unchecked)}")
    return bundle, known


def _seats(told: ExportedMatch, after: Match) -> tuple[SeatRow, ...]:
    """Who holds which seat, by the log; whom that stands for, by the index. Raises: CannotDo."""
    held = {seat: holder for seat, holder in enumerate(after.holders) if holder is not None}
    named = {each.seat: each for each in told.seats}
    if any(held.get(each.seat) != each.holder for each in named.values()):
        raise CannotDo("the index names other holders of the seats than the log")
    accounts = {seat: each.account for seat, each in named.items()}
    return tuple(SeatRow(seat, holder, accounts.get(seat)) for seat, holder in held.items())
