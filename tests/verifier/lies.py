"""What a liar makes of a bundle: damage of one place, and damage with all around it made to fit.

A liar who holds every salt and the seed can commit to anything and chain it. What then is found is
found by what the events say.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

import msgspec

from events import chain
from events.bundle import (
    EVENTS,
    FACETS,
    HEADS,
    KEYS,
    MANIFEST,
    PROOF,
    REFUSALS,
    SALTS,
    SEED,
    STATEMENTS,
    TEXTS,
    bundle_of,
    key_set,
    keys_in,
    packed,
)
from events.bundle import _salts as salts_of
from events.canonical import canonical, decoded
from events.evidence import REFUSAL
from events.observe import shown_facets
from events.signing import PublicKey, Purpose, sign
from events.types import Event, Record, kind_of
from events.zips import zipped
from games import registry
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.bundled import forged, members, proof
from tests.events.refused import RECEIPTS
from tests.events.scripted import Table
from tests.events.test_bundle import Mutation, mutated
from tests.events.test_forgeries import could_have_been, forgeries
from tests.events.test_forgeries import mutated as other_value
from tests.events.test_statements import THIRD


class Lie(msgspec.Struct, frozen=True):
    """`what` was changed, and in which `places` that may show; none are named where any will do."""

    what: str
    data: bytes
    places: frozenset[str] = frozenset()


# One place, whether or not the manifest is made to fit


def flips(data: bytes, rng: Random, count: int) -> Iterator[Lie]:
    for _ in range(count):
        at = rng.randrange(len(data))
        bad = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        yield Lie("file: a bit", bad)


def cuts(data: bytes, rng: Random, count: int) -> Iterator[Lie]:
    for _ in range(count):
        at = rng.randrange(len(data))
        yield Lie("file: cut off", data[:at])
        yield Lie("file: a byte more", data[:at] + rng.randbytes(1) + data[at:])


def of_members(data: bytes, rng: Random, count: int) -> Iterator[Lie]:
    """One member changed, and a manifest that fits."""
    for _ in range(count):
        change = mutated(data, rng)
        if change.data != data and not _may_be_erased(change):
            yield Lie(f"member: {change.what}", change.data, frozenset(change.places))


def _may_be_erased(change: Mutation) -> bool:
    """Texts can be, each with its line."""
    kind, _, name = change.what.partition(" ")
    left = members(change.data).get(TEXTS, b"")
    return name == TEXTS and (kind == "gone" or (kind == "cut" and left[-1:] in (b"", b"\n")))


def of_the_manifest(data: bytes, rng: Random) -> Iterator[Lie]:
    """One fact, one listing, or one more member."""
    told = decoded(members(data)[MANIFEST])
    for name in sorted(set(told) - {"members", "format"}):
        value = other_value(told[name], rng)
        if value != told[name] and not (name == "head" and len(value) == 64):
            yield Lie(f"manifest: {name}", _with_manifest(data, {**told, name: value}))
    for name in told["members"]:
        size, rest = {**told["members"]}, {**told["members"]}
        size[name] = {**size[name], "size": size[name]["size"] + 1}
        rest.pop(name)
        yield Lie(f"manifest: size of {name}", _with_manifest(data, {**told, "members": size}))
        yield Lie(f"manifest: without {name}", _with_manifest(data, {**told, "members": rest}))


def _with_manifest(data: bytes, told: Mapping[str, Any]) -> bytes:
    return zipped({**members(data), MANIFEST: canonical(told)})


def of_the_proof(at: Table, data: bytes) -> Iterator[Lie]:
    """Keys and proofs of others, beside the key of refusals if there is one."""
    own = keys_in(members(data)[KEYS])
    others = [each for each in own if each.purpose is not Purpose.CHECKPOINTS]
    keys = key_set(sorted((THIRD.public, *others), key=_kid))
    signed = proof(at, THIRD).encode()
    yield Lie("proof: another's key", forged(data, {KEYS: keys}))
    yield Lie("proof: signed by another", forged(data, {PROOF: signed}))
    yield Lie("proof: of another", forged(data, {KEYS: keys, PROOF: signed}))
    both = key_set(sorted((THIRD.public, *own), key=_kid))
    yield Lie("proof: a key too many", forged(data, {KEYS: both}))
    yield Lie("proof: without its keys", forged(data, {KEYS: None}))
    yield Lie("proof: keys without it", forged(data, {PROOF: None}))
    if members(data).get(SEED):
        yield Lie("seed: another", forged(data, {SEED: bytes(32)}), frozenset({SEED}))
        yield Lie("seed: none", forged(data, {SEED: None}), frozenset({SEED}))


def _kid(key: PublicKey) -> str:
    return key.kid


def of_the_signed(data: bytes, rng: Random, count: int) -> Iterator[Lie]:
    """A refusal or a statement left out, doubled, exchanged or changed, with or without its key."""
    found = members(data)
    for name in (each for each in (REFUSALS, STATEMENTS) if each in found):
        lines = found[name].splitlines()
        for place in range(len(lines)):
            rest = [*lines[:place], *lines[place + 1 :]]
            yield Lie(f"signed: left out of {name}", _with_lines(data, name, rest))
            yield Lie(f"signed: doubled in {name}", _with_lines(data, name, [lines[place], *lines]))
            other = [*rest, lines[place]]
            if other != lines:
                yield Lie(f"signed: exchanged in {name}", _with_lines(data, name, other))
        for _ in range(count):
            place = rng.randrange(len(lines))
            told = decoded(lines[place])
            path = rng.choice([*_every_path(told)])
            where = told
            for step in path[:-1]:
                where = where[step]
            before, where[path[-1]] = where[path[-1]], other_value(where[path[-1]], rng)
            if where[path[-1]] == before:
                continue
            if path[:2] == ("evidence", "payload") and rng.random() < 0.7:
                told["evidence"] |= _signed(told["evidence"]["payload"])
            changed = [*lines[:place], canonical(told), *lines[place + 1 :]]
            what = f"signed: {'.'.join(path)} in {name}"
            yield Lie(what, _with_lines(data, name, changed))


def _with_lines(data: bytes, name: str, lines: Sequence[bytes]) -> bytes:
    return forged(data, {name: b"".join(each + b"\n" for each in lines) or None})


def _signed(payload: Any) -> dict[str, str]:
    signed = sign(RECEIPTS, REFUSAL, canonical(payload))
    return {"kid": signed.kid, "signature": signed.signature}


def _every_path(told: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(told, dict):
        for name, value in told.items():
            yield from _every_path(value, (*path, name))
    else:
        yield path


# All around it made to fit


@lru_cache(maxsize=20_000)
def _joined(match_id: str, version: int, salt: bytes, opened: tuple[bytes, ...]) -> bytes:
    return chain.commitments(match_id, version, salt, opened)


def relinked(at: Table, opened: Sequence[tuple[bytes, ...]]) -> tuple[Record, ...]:
    """A log of these facets, the bodies last, committed to and chained under the salts of `at`."""
    created = at.current.created
    prev, records = chain.genesis(created.match_id, created.seats), []
    salts = [each.salt for each in at.records]
    for version, facets in enumerate(opened, 1):
        salt = salts[min(version, len(salts)) - 1]
        joined = _joined(created.match_id, version, salt, facets)
        prev = chain.link(prev, version, joined)
        records.append(Record(version, "", 1, 0, facets[-1], salt, joined, prev))
    return tuple(records)


def rebuilt(at: Table, opened: Sequence[tuple[bytes, ...]], viewer: Viewer = ALL) -> bytes:
    """The bundle of such a log, with all that follows from it, and no proof."""
    tables = registry.tables_of(at.game.slug, at.game.data_digest)
    index = {ALL: -1, SPECTATOR: 0}.get(viewer, viewer + 1)
    shown = _shown(opened, index)
    honest = _shown([each.facets for each in at.sealed], index)
    made = bundle_of(at.records, at.texts, tables, viewer=viewer, shown=honest)
    records = relinked(at, opened)
    columns = {
        EVENTS: b"".join(line + b"\n" for line in shown),
        SALTS: b"".join(_salts(each, viewer, at) for each in records),
        FACETS: b"".join(each.facets for each in records),
        HEADS: b"".join(each.hash for each in records),
    }
    seed = next((s for s in map(_seed_in, reversed(shown)) if s is not None), None)
    facts = {"events": len(records), "head": records[-1].hash.hex()}
    return forged(packed(made), {**columns, SEED: seed}, **facts)


def _shown(opened: Sequence[tuple[bytes, ...]], index: int) -> list[bytes]:
    return [f[0] if f[index] == chain.SAME else f[index] for f in opened]


def _salts(record: Record, viewer: Viewer, at: Table) -> bytes:
    return salts_of(record, viewer, at.current.match_id)


def _seed_in(line: bytes) -> bytes | None:
    if b'"match_revealed"' not in line:
        return None
    told = decoded(line)
    try:
        return bytes.fromhex(told.get("data", told)["seed"]) or None
    except (KeyError, ValueError, TypeError):
        return None


def of_fields(at: Table, rng: Random) -> Iterator[Lie]:
    """Any field of any event, and the log around it sealed again by somebody with the seed."""
    honest = [each.facets for each in at.sealed]
    for place, event in enumerate(at.events):
        for name, other in forgeries(at, event, rng):
            before = at.steps[place].before
            if place == 0 or could_have_been(before, event, other):
                continue
            facets = _facets(at, place, other)
            if facets is None or facets[-1] == honest[place][-1]:
                continue
            data = rebuilt(at, [*honest[:place], facets, *honest[place + 1 :]])
            where = frozenset({f"event {place + 1}"})
            yield Lie(f"field: {kind_of(event)}.{name}", data, where)


def _facets(at: Table, place: int, other: Event) -> tuple[bytes, ...] | None:
    """What the viewers would have been shown of it; what they were, where that can't be said."""
    try:
        body = canonical(other)
    except (ValueError, TypeError, OverflowError):
        return None  # It has no canonical form at all.
    before = at.steps[place].before
    try:
        return (*shown_facets(before, other, at.current.seats, at.dealer), body)
    except Exception:
        return (*at.sealed[place].facets[:-1], body)


def of_order(at: Table, rng: Random, count: int) -> Iterator[Lie]:
    """Events left out, doubled, exchanged, or the end cut off; numbered and sealed again."""
    honest = [each.facets for each in at.sealed]
    for _ in range(count):
        kind = rng.choice(("left out", "doubled", "exchanged", "cut off"))
        listed, place = list(honest), rng.randrange(1, len(honest))
        match kind:
            case "left out":
                del listed[place]
            case "doubled":
                listed.insert(place, listed[place])
            case "exchanged":
                other = rng.randrange(1, len(honest))
                listed[place], listed[other] = listed[other], listed[place]
            case "cut off":
                del listed[place:]
        again = [tuple(_numbered(f, n) for f in facets) for n, facets in enumerate(listed, 1)]
        if again != honest:
            yield Lie(f"order: {kind}", rebuilt(at, again))


@lru_cache(maxsize=20_000)
def _numbered(facet: bytes, version: int) -> bytes:
    return facet if facet == chain.SAME else canonical({**decoded(facet), "version": version})


def of_facets(at: Table, rng: Random, count: int) -> Iterator[Lie]:
    """What somebody else was shown, in the full bundle."""
    honest = [each.facets for each in at.sealed]
    for _ in range(count):
        place, index = rng.randrange(len(honest)), rng.randrange(at.current.seats + 1)
        facets = list(honest[place])
        facets[index] = b'{"shown":"otherwise"}' if facets[index] == chain.SAME else chain.SAME
        data = rebuilt(at, [*honest[:place], tuple(facets), *honest[place + 1 :]])
        yield Lie("facet: of another viewer", data, frozenset({f"event {place + 1}"}))


# What a viewer sees of it

SEEN = ("seed", "opening", "sealed", "signed", "salt", "reveals", "key")


def of_sights(at: Table, viewer: Viewer, rng: Random) -> Iterator[Lie]:
    """What a viewer's own bundle can be held against: openings, signatures, the seed, texts."""
    index = viewer + 1 if viewer >= 0 else 0
    honest = [each.facets for each in at.sealed]
    opened = {
        each["decision"]
        for facets in honest
        for each in decoded(facets[index if facets[index] != chain.SAME else 0]).get("reveals", ())
        if "decision" in each
    }
    for place, facets in enumerate(honest):
        own = index if facets[index] != chain.SAME else 0
        told = decoded(facets[own])
        for path in _paths(told):
            if path == ("sealed",) and told["decision"] not in opened:
                continue  # Nothing shown contradicts it.
            if path == ("data", "key") and not at.current.signed[told["seat"]]:
                continue  # Nothing is signed by it.
            changed = decoded(facets[own])
            where: Any = changed
            for step in path[:-1]:
                where = where[step]
            where[path[-1]] = _another(where[path[-1]], rng)
            listed = list(facets)
            listed[own] = canonical(changed)
            data = rebuilt(at, [*honest[:place], tuple(listed), *honest[place + 1 :]], viewer)
            yield Lie(f"sight: {'.'.join(map(str, path))}", data)


def _another(value: Any, rng: Random) -> Any:
    """Of the same form, where it is a text."""
    if not isinstance(value, str) or not value:
        return other_value(value, rng)
    at = rng.randrange(len(value))
    return value[:at] + ("0" if value[at] != "0" else "1") + value[at + 1 :]


def _paths(told: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """To every value that can be checked without the rules."""
    if isinstance(told, dict | list):
        for name, value in told.items() if isinstance(told, dict) else enumerate(told):
            yield from _paths(value, (*path, name))
    elif path and any(each in SEEN for each in path) and told is not None:
        yield path
