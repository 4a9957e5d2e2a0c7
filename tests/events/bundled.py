"""Bundles of matches that were played once, with a proof in a log of the tests' own."""

from collections.abc import Callable, Mapping
from functools import cache

import msgspec

from events import chain, merkle, notes
from events.bundle import MANIFEST, ORDER, Manifest, bundle_of, key_set, manifested, packed
from events.canonical import canonical
from events.notes import Checkpoint
from events.signing import Purpose, SigningKey, new_key
from events.trust import Trusted
from events.zips import unzipped, zipped
from games import registry
from games.core.game import Viewer
from tests.events.scripted import MATCH_ID, NOON, Table, finished, shown_to, with_resignation

ORIGIN = "log.example/tests"
KEY: SigningKey = new_key(Purpose.CHECKPOINTS, bytes(range(32)), NOON)
OTHER_KEY: SigningKey = new_key(Purpose.CHECKPOINTS, bytes(range(1, 33)), NOON)
TRUSTED = Trusted(((ORIGIN, KEY.public.public),))


@cache
def table(name: str) -> Table:
    """One finished match of a game, of its first trial with several seats, if it has one."""
    if name == "high_card":
        return with_resignation()
    game = registry.game(name)
    several = [trial for trial in game.trials if trial[1] > 1]
    options, seats = (several or game.trials)[0]
    return finished(name, seats, options=options)


def proof(at: Table, key: SigningKey = KEY, upto: int | None = None, first: int = 1) -> str:
    """That the match is in a log of three leaves, the last its own."""
    records, created = at.records, at.current.created
    last = len(records) if upto is None else upto
    genesis = chain.genesis(created.match_id, created.seats)
    leaf = canonical(
        {
            "first": first,
            "head_after": records[last - 1].hash.hex(),
            "head_before": (records[first - 2].hash if first > 1 else genesis).hex(),
            "kind": "match",
            "last": last,
            "match_id": created.match_id,
        }
    )
    leaves = [merkle.leaf_hash(each) for each in (b"one", b"two", leaf)]
    path = (merkle.node_hash(leaves[0], leaves[1]),)
    root = merkle.node_hash(path[0], leaves[2])
    note = notes.signed(Checkpoint(ORIGIN, 3, root).text, ORIGIN, [key.private])
    return notes.proof_text(notes.Proof(2, path, note, leaf))


@cache
def bundle(name: str, viewer: Viewer, *, proved: bool = True) -> bytes:
    """The bundle of the game's match for a viewer."""
    return bundled(table(name), viewer, proved=proved)


def bundled(at: Table, viewer: Viewer, *, proved: bool = True) -> bytes:
    tables = registry.tables_of(at.game.slug, at.game.data_digest)
    shown = [shown_to(each, viewer) for each in at.sealed]
    made = bundle_of(
        at.records,
        at.texts,
        tables,
        viewer=viewer,
        shown=shown,
        proof=proof(at) if proved else "",
        keys=key_set([KEY.public]),
    )
    return packed(made)


def members(data: bytes) -> dict[str, bytes]:
    return unzipped(data, ORDER)


def forged(data: bytes, changes: Mapping[str, bytes | None], **facts: object) -> bytes:
    """The bundle with members changed, added or (None) left out, and a manifest that fits them."""
    found = members(data)
    manifest = msgspec.json.decode(found.pop(MANIFEST), type=Manifest)
    changed = {**found, **changes}
    kept = {n: content for n in ORDER if (content := changed.get(n)) is not None}
    told = msgspec.structs.asdict(manifest)
    told = {n: told[n] for n in told if n not in ("format", "members")}
    return zipped(manifested(kept, **{**told, **facts}))


Change = Callable[[bytes], bytes]
__all__ = ["MATCH_ID"]
