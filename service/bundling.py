"""Bundles of matches: who may have which, and what is in them."""

from collections.abc import Iterable, Sequence

import msgspec

from events.bundle import bundle_of, key_set, packed
from events.match import LogBroken, Match, decode
from events.refused import KeptRefusal
from events.signing import PublicKey
from events.statements import Statement, introduced
from events.store import PAGE, Store
from events.types import MatchCreated, Record, TextRow
from games import registry
from games.core.game import ALL, SPECTATOR, Viewer
from service.arbitration import arbiter_of
from service.auth import Caller
from service.callers import ARBITERS, Scope
from service.errors import Fault, NotRevealed, ParameterInvalid, SeatNotFound, VersionNotFound
from service.looking import Wish, take_look
from service.parts import Parts
from service.proving import lasting_proof, signers, size_of
from service.queries import READING
from service.refusing import is_arbiter, upto
from service.signing_keys import all_statements, public_keys
from service.spectating import shown


class Choice(msgspec.Struct, frozen=True):
    """A bundle somebody may have: the match as far as it goes, and whose sight it is.

    `newest` is where the match is for who asks; texts may be erased up to there. `proof` is empty
    where there is none yet, `refusals` for who is no arbiter. `keys` signed them, and `statements`
    of the log lead to these keys.
    """

    current: Match
    viewer: Viewer
    proof: str
    refusals: tuple[KeptRefusal, ...]
    keys: tuple[PublicKey, ...]
    statements: tuple[Statement, ...]
    newest: int


async def chosen(parts: Parts, caller: Caller, match_id: str, wish: Wish) -> Choice:
    """Everybody who may see the match has its public bundle, each seat its own; all are open after
    the reveal, and to arbiters before it, who name the version: then the log says first that this
    was looked at. The wish has a viewer, also ALL.

    Raises: MatchNotFound, ScopeMissing, SeatNotFound, VersionNotFound, NotRevealed, ArbiterIsParty,
    ParameterInvalid.
    """
    await parts.doorkeeper.viewer_of(caller, match_id, *READING, Scope.AUDIT_READ)
    current = await shown(parts, caller, match_id)
    viewer, at = wish.viewer, wish.at
    assert viewer is not None
    if viewer >= current.seats:
        raise SeatNotFound
    if at is not None and not 1 <= at <= current.version:
        raise VersionNotFound
    if not (viewer == SPECTATOR or caller.holds(viewer) or current.is_revealed):
        await _look(parts, caller, match_id, wish)
    newest = current.version
    if at is not None:
        current = await parts.past.at(current, at)
    version = current.version
    proof, origin = await parts.database.read(lambda c: lasting_proof(c, match_id, version))
    refusals: tuple[KeptRefusal, ...] = ()
    if viewer == ALL and await is_arbiter(parts, caller, match_id):
        refusals = await parts.database.read(lambda c: upto(c, match_id, version))
    keys = await _keys(parts, proof, origin, refusals)
    statements: tuple[Statement, ...] = ()
    if keys:
        statements = leading_to(keys, proof, await parts.database.read(all_statements))
    return Choice(current, viewer, proof, refusals, keys, statements, newest)


async def made(parts: Parts, choice: Choice) -> bytes:
    """The file."""
    current, viewer = choice.current, choice.viewer
    match_id, version = current.match_id, current.version
    records = await records_of(parts.store, match_id, version)
    texts = await parts.store.texts(match_id, 0, version)
    seen = [] if viewer == ALL else await parts.history.facets(match_id, viewer, version)
    created = current.created
    tables = registry.tables_of(created.game, created.data_digest)
    bundle = bundle_of(
        records,
        texts,
        tables,
        viewer=viewer,
        shown=seen,
        proof=choice.proof,
        keys=key_set(choice.keys),
        refusals=choice.refusals,
        statements=choice.statements,
    )
    return packed(bundle)


async def records_of(store: Store, match_id: str, version: int) -> list[Record]:
    """The records of a match up to a version it has. Raises: LogBroken where one is missing."""
    found: list[Record] = []
    while len(found) < version:
        page = await store.records(match_id, len(found), min(PAGE, version - len(found)))
        for number, record in enumerate(page or [None], len(found) + 1):
            if record is None or record.version != number:
                raise LogBroken(number, "is missing")
            found.append(record)
    return found


async def full_bundle(store: Store, records: Sequence[Record], texts: Iterable[TextRow]) -> bytes:
    """The file of the whole log of a match, with what proves it, for who has the database.

    Raises: LogBroken, UnknownSchema, UnknownGame.
    """
    created = decode(records[0])
    assert isinstance(created, MatchCreated)
    match_id, version, read = created.match_id, records[-1].version, store.database.read
    proof, origin = await read(lambda c: lasting_proof(c, match_id, version))
    keys: list[PublicKey] = []
    statements: tuple[Statement, ...] = ()
    if proof:
        keys = sorted(signers(proof, origin, await read(public_keys)), key=lambda each: each.kid)
        statements = leading_to(keys, proof, await read(all_statements))
    bundle = bundle_of(
        records,
        texts,
        await _tables_of(store, created),
        proof=proof,
        keys=key_set(keys),
        statements=statements,
    )
    return packed(bundle)


async def _tables_of(store: Store, created: MatchCreated) -> bytes:
    """Those that the database has, else those that are installed. Raises: UnknownGame."""
    if not created.data_digest:
        return b""
    found = await store.tables(created.data_digest)
    return registry.tables_of(created.game, created.data_digest) if found is None else found


def leading_to(
    keys: Iterable[PublicKey], proof: str, found: Sequence[Statement]
) -> tuple[Statement, ...]:
    """Of all statements those that the proof's checkpoint covers; and further ones, up to the
    introduction of the last of the keys, and of those that signed the statements themselves.
    """
    size = size_of(proof) if proof else 0
    last = sum(each.position <= size for each in found)
    kids, before = {each.kid for each in keys}, -1
    while last != before:
        before = last
        kids |= {each.kid for each in found[:last]}
        for number, each in enumerate(found[last:], last + 1):
            key = introduced(each)
            if key is not None and key.kid in kids:
                last = number
    return tuple(found[:last])


async def _keys(
    parts: Parts, proof: str, origin: str, refusals: Sequence[KeptRefusal]
) -> tuple[PublicKey, ...]:
    """The keys that signed the proof's checkpoint and the refusals, by id."""
    kids = {each.evidence.kid for each in refusals}

    def known() -> list[PublicKey]:
        own = signers(proof, origin, parts.keys.public) if proof else []
        return [*own, *(each for each in parts.keys.public if each.kid in kids)]

    found = known()
    if len(found) < len(kids) + bool(proof):  # A key that another process made a moment ago.
        await parts.keys.refresh()
        found = known()
    return tuple(sorted(found, key=lambda each: each.kid))


async def _look(parts: Parts, caller: Caller, match_id: str, wish: Wish) -> None:
    """Raises: NotRevealed for who is no arbiter, ArbiterIsParty, ParameterInvalid."""
    if caller.kind not in ARBITERS or Scope.ARBITRATE not in caller.scopes:
        raise NotRevealed
    arbiter = await arbiter_of(parts, caller, match_id, wish.account)
    if wish.at is None:
        raise ParameterInvalid(Fault("at", "missing", "a look before the reveal is at a version"))
    seat = None if wish.viewer == ALL else wish.viewer
    await take_look(parts, caller, match_id, arbiter, seat, wish.at)
