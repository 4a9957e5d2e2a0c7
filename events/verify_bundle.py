"""The check of a bundle: that all of it holds, or the first place where it does not.

What a perspective cannot show is listed apart from what is wrong.
"""

from contextlib import suppress
from typing import Final

import msgspec

from events import chain
from events.bundle import (
    EVENTS,
    FACETS,
    HEADS,
    MANIFEST,
    OPTIONS,
    ORDER,
    SALTS,
    SEED,
    TABLES,
    TEXTS,
    UNUSED,
    Bundle,
    Manifest,
    digest,
    is_as_public,
    salt_bytes,
)
from events.canonical import decoded
from events.erasure import erased
from events.legality import Fault, Verdict
from events.proof import Proof
from events.schema import NEWEST
from events.texts import digest_of, places
from events.trust import Trusted
from events.unpacking import damage_of, manifest_of, read, records_of
from events.verify import verify_log
from events.verify_signed import check_signed
from events.verify_view import verify_view
from events.zips import BundleRefused, unzipped
from games import registry
from games.core.game import ALL, SPECTATOR

_UNSEEN: Final = (
    "moves, decisions, draws, what followed of itself, what other viewers were shown, the outcome: "
    "only the full bundle shows them"
)
_UNREVEALED: Final = "the seed: it is not revealed"


class Checked(msgspec.Struct, frozen=True):
    """The verdict on one bundle. `place` is an event, or a member, or `zip`; `version` the event.

    `bundle` is what could be read of it, None if nothing could.
    """

    fault: Fault | None
    place: str
    checked: tuple[str, ...]
    unchecked: tuple[str, ...]
    bundle: Bundle | None

    @property
    def is_sound(self) -> bool:
        return self.fault is None


def verify_bundle(
    data: bytes, trusted: Trusted | None = None, *, seed: bytes | None = None, now: int = 0
) -> Checked:
    """Check the bytes of a bundle. Never raises.

    `trusted` are the keys the caller knows of the log of all matches; without them the proof is
    held against the bundle's own. `seed` is for who knows it before the reveal; with `now` (ms) a
    reveal that is overdue by then is a fault.
    """
    try:
        members = unzipped(data, ORDER)
        manifest = manifest_of(members)
    except BundleRefused as refused:
        return _refused(refused)
    damaged = damage_of(data, members, manifest)
    try:
        bundle = read(members, manifest)
        found = _contents(bundle, members, seed, now)
        if found.fault is None:
            _check_facts(bundle, manifest, members)
            found = check_signed(found, bundle, trusted)
    except BundleRefused as refused:
        # What is wrong with an event says more than that its member is damaged.
        return _refused(refused if refused.place.startswith("event ") else damaged or refused)
    except Exception as error:
        unread = BundleRefused("zip", f"can't be read: {type(error).__name__}")
        return _refused(damaged or unread)
    place = "" if found.fault is None else f"event {found.fault.version}"
    if found.fault is None and damaged is not None:
        return _refused(damaged, bundle)
    return Checked(found.fault, place, found.checked, found.unchecked, bundle)


def _refused(refused: BundleRefused, bundle: Bundle | None = None) -> Checked:
    fault = Fault(0, "bundle", refused.reason)
    return Checked(fault, refused.place, (), (), bundle)


def _contents(bundle: Bundle, members: dict[str, bytes], seed: bytes | None, now: int) -> Verdict:
    """Events, salts, facets and heads, each event with all that belongs to it."""
    lengths = {
        EVENTS: len(bundle.events),
        SALTS: len(bundle.salts),
        FACETS: len(bundle.facets),
        HEADS: len(bundle.hashes),
    }
    count = min(lengths.values())
    is_full = bundle.viewer == ALL
    found = _full(bundle, count, seed, now) if is_full else _shown(bundle, count, now)
    if found.fault is not None and not (found.fault.version > count != max(lengths.values())):
        return found
    for name, length in lengths.items():
        rest = len(members[name]) % _width(name, bundle) if name != EVENTS else 0
        if length != max(lengths.values()) or rest:
            reason = f"{name} has {length} entries, others have {max(lengths.values())}"
            return msgspec.structs.replace(found, fault=Fault(count + 1, "missing", reason))
    return found


def _width(name: str, bundle: Bundle) -> int:
    if name == SALTS:
        return salt_bytes(bundle.viewer)
    seats = bundle.created.seats
    return chain.COMMITMENT_BYTES * (seats + 2 if name == FACETS else 1)


def _full(bundle: Bundle, count: int, seed: bytes | None, now: int) -> Verdict:
    _install(bundle)
    found = verify_log(records_of(bundle, count), seed=seed, texts=bundle.texts, now=now)
    return msgspec.structs.replace(found, fault=found.fault or _kept_text(bundle))


def _shown(bundle: Bundle, count: int, now: int) -> Verdict:
    """What one viewer was shown, from event 1 on."""
    created = bundle.created
    prev = chain.genesis(created.match_id, created.seats, created.format)
    entries = []
    for index in range(count):
        entries.append((bundle.events[index], _proof(bundle, index, prev)))
        prev = bundle.hashes[index]
    viewer = (created.match_id, created.seats, bundle.viewer)
    found = verify_view(entries, *viewer, now or None)
    fault = found.fault or _strange(bundle, count)
    fault = fault or _untrue_text(bundle) or _kept_text(bundle)
    checked = (*found.checked, "options")
    unchecked = (*found.unchecked, *(_newer(bundle, count) if fault is None else ()), _UNSEEN)
    if bundle.seed is None:
        unchecked = (*unchecked, _UNREVEALED)
    return Verdict(found.events, fault, checked, unchecked)


def _strange(bundle: Bundle, count: int) -> Fault | None:
    """What the check of a view passes over: what the doors join on, tests' own, salts of no use."""
    match_id, seat = bundle.created.match_id, bundle.viewer
    for version, line in enumerate(bundle.events[:count], 1):
        if (b'"texts"' in line or b'"proof"' in line) and {"texts", "proof"} & set(decoded(line)):
            return Fault(version, "entry", "has members that no observation has")
        if b'"position_set"' in line and decoded(line)["kind"] == "position_set":
            return Fault(version, "position", "opened from a set position")
        public, own = (
            bundle.salts[version - 1][: len(UNUSED)],
            bundle.salts[version - 1][len(UNUSED) :],
        )
        if seat >= 0 and (public == UNUSED) == is_as_public(
            own, match_id, version, seat, bundle.facets[version - 1]
        ):
            return Fault(version, "salt", "the public's salt is there without a use, or is missing")
    return None


def _newer(bundle: Bundle, count: int) -> tuple[str, ...]:
    """The limit that the first event of a newer release sets, if there is one."""
    for version, line in enumerate(bundle.events[:count], 1):
        kind = _KIND.decode(line).kind
        if kind not in NEWEST:
            return (f"everything from event {version} on: its kind, {kind}, is not known here",)
    return ()


class _Kind(msgspec.Struct, frozen=True):
    kind: str


_KIND: Final = msgspec.json.Decoder(_Kind)


def _untrue_text(bundle: Bundle) -> Fault | None:
    for row in bundle.texts:
        if row.version > len(bundle.events):
            return None
        said = places(decoded(bundle.events[row.version - 1]))
        if said.get(row.field) != digest_of(row):
            return Fault(row.version, "text", f"{row.field} is not the text that was said")
    return None


def _kept_text(bundle: Bundle) -> Fault | None:
    """A bundle is made at once: one that has the event no longer has the text."""
    if not bundle.texts:
        return None
    told = [(row.version, row.field) for row in bundle.texts if row.version <= len(bundle.events)]
    for (version, field), by in erased([decoded(line) for line in bundle.events], told).items():
        return Fault(version, "erased", f"{field} is still there, though event {by} erased it")
    return None


def _proof(bundle: Bundle, index: int, prev: bytes) -> Proof:
    joined, salts = bundle.facets[index], bundle.salts[index]
    width = chain.COMMITMENT_BYTES
    told = {"public": salts[:width].hex()}
    if bundle.viewer != SPECTATOR:
        told["own"] = salts[width:].hex()
    parts = tuple(joined[at : at + width].hex() for at in range(0, len(joined), width))
    return Proof(prev.hex(), bundle.hashes[index].hex(), parts, told)


def _check_facts(bundle: Bundle, manifest: Manifest, members: dict[str, bytes]) -> None:
    """What is said twice is said alike. Raises: BundleRefused."""
    created = bundle.created
    told = (manifest.match_id, manifest.game, manifest.rules_version, manifest.data_digest)
    own = (created.match_id, created.game, created.rules_version, created.data_digest)
    place = (manifest.seats, manifest.events, manifest.head)
    if told != own or place != (created.seats, len(bundle.events), bundle.hashes[-1].hex()):
        raise BundleRefused(MANIFEST, "says something else than the events")
    if members[OPTIONS] != bytes(created.options):
        raise BundleRefused(OPTIONS, "are not those of event 1")
    if (digest(bundle.tables) if bundle.tables else "") != created.data_digest:
        raise BundleRefused(TABLES, "are not those that event 1 names")
    if bundle.seed != _revealed(bundle):
        raise BundleRefused(SEED, "is not the one that was revealed")
    places = [(row.version, row.field) for row in bundle.texts]
    if places != sorted(set(places)) or any(v > len(bundle.events) for v, _ in places):
        raise BundleRefused(TEXTS, "are not in order, or of no event")


def _revealed(bundle: Bundle) -> bytes | None:
    for line in reversed(bundle.events):
        told = decoded(line)
        if told["kind"] == "match_revealed":
            data = told if bundle.viewer == ALL else told["data"]
            return bytes.fromhex(data["seed"])
    return None


def _install(bundle: Bundle) -> None:
    """The tables of the bundle for a game that has others here. What does not fit is said later."""
    created = bundle.created
    if bundle.tables and digest(bundle.tables) == created.data_digest:
        with suppress(registry.UnknownGame, registry.TablesRefused):
            try:
                registry.game(created.game, created.rules_version, created.data_digest)
            except registry.UnknownGame:
                registry.install(created.game, bundle.tables, created.rules_version)
