"""Bundles: equal contents are equal bytes, a sound one is found sound, any change is found."""

import io
import zipfile
from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest

from events import chain
from events.bundle import (
    EVENTS,
    FACETS,
    HEADS,
    KEYS,
    MANIFEST,
    OPTIONS,
    ORDER,
    PROOF,
    SALTS,
    SEED,
    TABLES,
    TEXTS,
    bundle_of,
    key_set,
    packed,
    perspective_of,
    viewer_in,
)
from events.canonical import canonical, decoded
from events.forks import forks, unjoined
from events.notes import verifier_key
from events.rulings import Rewind
from events.signing import KeySet
from events.trust import Trusted, trusted_in
from events.types import MatchRevealed, Start
from events.verify_bundle import Checked, verify_bundle
from events.zips import BundleRefused, unzipped, zipped
from games import registry
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.bundled import (
    KEY,
    MATCH_ID,
    ORIGIN,
    OTHER_KEY,
    TRUSTED,
    bundle,
    bundled,
    forged,
    members,
    proof,
    table,
)
from tests.events.disputed import ruled
from tests.events.scripted import SEED as SECRET
from tests.events.scripted import Table, resealed, shown_to
from tests.games import high_card

GAMES = sorted({each.slug for each in registry.games()})
VIEWERS: tuple[Viewer, ...] = (ALL, SPECTATOR, 0, 1)
SHOWN = ("full", "public", "seat 0", "seat 1")
PLAYED = [(n, v) for n in GAMES for v in VIEWERS if v < table(n).current.seats]
MUTATIONS = 100  # of each game and viewer


def checked(data: bytes) -> Checked:
    return verify_bundle(data, TRUSTED)


def place(data: bytes) -> str:
    found = checked(data)
    return found.place


# Sound ones


@pytest.mark.parametrize(("name", "viewer"), PLAYED)
def test_a_legally_played_match_of_every_game_is_sound_for_every_viewer(
    name: str, viewer: Viewer
) -> None:
    found = checked(bundle(name, viewer))
    assert found.fault is None, found
    assert {"chain", "facets", "proof"} <= set(found.checked)
    if viewer == ALL:
        assert found.unchecked == ()
        assert {"moves", "draws", "answers", "decisions", "outcome"} <= set(found.checked)
    else:
        assert any("only the full bundle" in each for each in found.unchecked)
        assert not {"moves", "draws", "outcome"} & set(found.checked)


@pytest.mark.parametrize("name", GAMES)
def test_equal_contents_are_equal_bytes_in_a_zip_that_others_read(name: str) -> None:
    data = bundle(name, ALL)
    assert data == bundled(table(name), ALL)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == [each for each in ORDER if each in members(data)]
        assert {each.date_time for each in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {each.compress_type for each in archive.infolist()} == {zipfile.ZIP_STORED}


def test_a_bundle_holds_its_own_viewer_s_salts_and_no_other() -> None:
    at = table("ambition_tricks")
    given = members(bundle("ambition_tricks", 1))
    for record in at.records:
        assert record.salt not in given[SALTS]
    assert len(given[SALTS]) == 64 * len(at.records)
    assert len(members(bundle("ambition_tricks", SPECTATOR))[SALTS]) == 32 * len(at.records)


def test_texts_are_in_the_bundles_of_those_who_saw_them() -> None:
    for viewer in VIEWERS:
        assert "Ü".encode() in members(bundle("high_card", viewer))[TEXTS]


def test_an_erased_text_leaves_a_sound_bundle() -> None:
    assert checked(forged(bundle("high_card", ALL), {TEXTS: None})).fault is None


@pytest.mark.parametrize("viewer", VIEWERS, ids=SHOWN)
def test_a_running_match_is_sound_as_far_as_it_goes(viewer: Viewer) -> None:
    at = Table(registry.game("ambition_tricks"), 4).play_on(Random(1), most=9)
    data = bundled(at, viewer, proved=False)
    found = checked(data)
    assert found.fault is None
    assert any("not revealed" in each for each in found.unchecked)
    assert SEED not in members(data)
    if viewer == ALL:
        limit = "that it is in the log of all matches: there is no proof in the bundle"
        assert verify_bundle(data, seed=SECRET).unchecked == (limit,)


def test_without_keys_of_ones_own_it_stays_open_whose_log_it_is() -> None:
    found = verify_bundle(bundle("high_card", ALL))
    assert found.fault is None
    assert found.unchecked == ("whose log the proof is of: the keys are the bundle's own, none were given",)  # noqa: E501  # fmt: skip


def test_events_behind_the_proof_are_listed_as_unchecked() -> None:
    at = table("high_card")
    data = forged(bundle("high_card", ALL), {PROOF: proof(at, upto=5).encode()})
    found = checked(data)
    assert found.fault is None
    assert found.unchecked == ("that events after 5 are in the log of all matches",)


def test_keys_are_taken_as_a_jwk_set_or_as_verifier_keys() -> None:
    line = verifier_key(ORIGIN, KEY.public.public).encode()
    for data in (KeySet([KEY.public]).jwks(), line, line + b"\n" + line + b"\n"):
        found = verify_bundle(bundle("high_card", ALL), trusted_in(data))
        assert (found.fault, found.unchecked) == (None, ())
    for data in (b"", b"{}", b"[]", b'{"keys":[]}', b"nothing", line[:-3], b"\xff"):
        with pytest.raises(ValueError):
            trusted_in(data)


def test_a_proof_under_another_key_or_of_another_log_is_wrong() -> None:
    data = bundle("high_card", ALL)
    for keys in (((ORIGIN, OTHER_KEY.public.public),), (("log.example/other", KEY.public.public),)):
        found = verify_bundle(data, Trusted(keys))
        assert found.place == PROOF
    at = table("high_card")
    signed = proof(at, OTHER_KEY).encode()
    keys_too = {PROOF: signed, KEYS: key_set([OTHER_KEY.public])}
    assert place(forged(data, keys_too)) == PROOF
    assert place(forged(data, {PROOF: signed})) == PROOF


@pytest.mark.parametrize("name", ["high_card", "ambition_tricks", "ambition_characters"])
def test_a_match_that_was_rewound_is_sound_for_every_viewer(name: str) -> None:
    at = Table(registry.game(name), 4).play_on(Random(3), most=6)
    goal = max(v for v in range(1, 12) if at.after(v).decision is not None)
    ruled(at, Rewind(to=goal, boundary=None))
    at.play_on(Random(4))
    for viewer in VIEWERS:
        data = bundled(at, viewer)
        assert checked(data).fault is None
        assert b'"kind":"match_rewound"' in members(data)[EVENTS]
    lines = members(bundled(at, ALL))[EVENTS]
    forgotten = b"".join(e + b"\n" for e in lines.split(b"\n")[:-1] if b"match_rewound" not in e)
    assert place(forged(bundled(at, ALL), {EVENTS: forgotten})).startswith("event ")


def resaid(at: Table, version: int, **members: object) -> bytes:
    """The public bundle with an event told otherwise to everybody, and all that follows from it."""
    created, prev, records, lines = at.current.created, b"", [], []
    for each in at.sealed:
        record, shown = each.record, shown_to(each, SPECTATOR)
        if record.version == version:
            shown = canonical({**decoded(shown), **members})
        opened = (shown, *each.facets[1:])
        joined = chain.commitments(created.match_id, record.version, record.salt, opened)
        before = prev or chain.genesis(created.match_id, created.seats)
        prev = chain.link(before, record.version, joined)
        records.append(msgspec.structs.replace(record, facets=joined, hash=prev))
        lines.append(shown)
    tables = registry.tables_of(at.game.slug, at.game.data_digest)
    made = bundle_of(records, at.texts, tables, viewer=SPECTATOR, shown=lines)
    return packed(made)


def test_a_set_position_is_a_fault_for_every_viewer() -> None:
    at = Table(high_card.GAME, 2, start=Start.MANUAL)
    at.set_position(high_card.GAME.new(high_card.GAME.options(), 2))
    for viewer in (ALL, SPECTATOR, 0):
        found = checked(bundled(at, viewer, proved=False))
        assert (found.place, found.fault and found.fault.code) == ("event 4", "position")


def test_an_event_of_a_newer_release_is_not_skipped_by_who_sees_a_part() -> None:
    at = Table(registry.game("high_card"), 2).play_on(Random(1), most=3)
    found = checked(resaid(at, 5, kind="weather_reported"))
    assert found.fault is None
    assert "everything from event 5 on: its kind, weather_reported, is not known here" in (
        found.unchecked
    )
    assert "from event" not in " ".join(checked(resaid(at, 5)).unchecked)


# Changes


class Mutation(msgspec.Struct):
    """A change somebody made, with a manifest that fits, and the places that may be named."""

    data: bytes
    what: str
    places: set[str]


def mutated(data: bytes, rng: Random) -> Mutation:
    """One random change of one member. Whoever made it fixed the manifest as well."""
    found = members(data)
    name = rng.choice([each for each in found if each != MANIFEST])
    seats = decoded(found[MANIFEST])["seats"]
    viewer = viewer_in(decoded(found[MANIFEST])["perspective"])
    assert viewer is not None
    width = {FACETS: 32 * (seats + 2), HEADS: 32, SALTS: 64 if viewer >= 0 else 32}.get(name)
    content = found[name]
    if name == EVENTS:
        return _of_lines(data, content, rng)
    if width is not None:
        return _of_slices(data, name, content, width, rng)
    at = rng.randrange(len(content))
    kind = rng.choice(("flip", "cut", "grow", "gone"))
    changed = {
        "flip": content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :],
        "cut": content[:at],
        "grow": content[:at] + b"0" + content[at:],
        "gone": None,
    }[kind]
    # What is wrong with a text shows at its event.
    lines = decoded(found[EVENTS].split(b"\n")[0])
    places = (
        {name, *(f"event {decoded(t)['version']}" for t in content.split(b"\n")[:-1])}
        if (name == TEXTS and lines)
        else {name}
    )
    if name == PROOF:
        # With other content it can still be a proof, of something else.
        places.add(KEYS)
    return Mutation(forged(data, {name: changed}), f"{kind} {name}", places)


def _of_lines(data: bytes, content: bytes, rng: Random) -> Mutation:
    lines = content[:-1].split(b"\n")
    at = rng.randrange(len(lines))
    other = rng.choice([n for n in range(len(lines)) if lines[n] != lines[at]])
    kind = rng.choice(("flip", "cut", "delete", "double", "swap", "truncate", "field", "empty"))
    first = at
    match kind:
        case "flip":
            byte = rng.randrange(len(lines[at]))
            bit = 1 << rng.randrange(8)
            line = lines[at]
            lines[at] = line[:byte] + bytes([line[byte] ^ bit]) + line[byte + 1 :]
        case "cut":
            lines[at] = lines[at][: rng.randrange(len(lines[at]))]
        case "empty":
            lines[at] = b""
        case "delete":
            del lines[at]
        case "double":
            lines.insert(at, lines[at])
            first = at + 1
        case "swap":
            lines[at], lines[other] = lines[other], lines[at]
            first = min(at, other)
        case "truncate":
            lines = lines[: max(1, at)]
            first = len(lines)
        case "field":
            lines[at] = _other_field(lines[at], rng)
    changed = b"".join(line + b"\n" for line in lines)
    return Mutation(forged(data, {EVENTS: changed}), f"{kind} {EVENTS}", {f"event {first + 1}"})


def _other_field(line: bytes, rng: Random) -> bytes:
    """Another value of one member, canonical as before."""
    told: dict[str, Any] = decoded(line)
    name = rng.choice(sorted(told))
    value = told[name]
    if rng.random() < 0.3:
        del told[name]
    elif isinstance(value, int):
        told[name] = value + 1
    elif isinstance(value, str):
        told[name] = value + "0"
    else:
        told[name] = None if value is not None else 1
    return canonical(told)


def _of_slices(data: bytes, name: str, content: bytes, width: int, rng: Random) -> Mutation:
    parts = [content[at : at + width] for at in range(0, len(content), width)]
    at, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    kind = rng.choice(("flip", "delete", "double", "swap", "truncate", "trail", "zero"))
    first = at
    match kind:
        case "flip":
            byte = rng.randrange(width)
            part = parts[at]
            parts[at] = (
                part[:byte] + bytes([part[byte] ^ (1 << rng.randrange(8))]) + part[byte + 1 :]
            )
        case "delete":
            del parts[at]
        case "double":
            parts.insert(at, parts[at])
            first = at + 1
        case "swap":
            other = (at + 1) % len(parts) if other == at else other
            parts[at], parts[other] = parts[other], parts[at]
            first = min(at, other)
        case "truncate":
            parts, first = parts[:at], at
        case "trail":
            parts.append(b"0" * rng.randrange(1, width))
            first = len(parts) - 1
        case "zero":
            parts[at] = bytes(width)
    return Mutation(forged(data, {name: b"".join(parts)}), f"{kind} {name}", {f"event {first + 1}"})


@pytest.mark.parametrize(("name", "viewer"), PLAYED)
def test_every_change_is_found_and_its_place_is_named(name: str, viewer: Viewer) -> None:
    rng, data = Random(f"{name} {viewer}"), bundle(name, viewer)
    kinds: Counter[str] = Counter()
    for _ in range(MUTATIONS):
        change = mutated(data, rng)
        if change.data == data:
            continue
        found = checked(change.data)
        if change.what == f"gone {TEXTS}":
            continue  # Erased: see above.
        assert found.fault is not None, change.what
        assert found.place in change.places, (change.what, found.place, found.fault, change.places)
        kinds[change.what.split()[0]] += 1
    assert len(kinds) >= 8, kinds


@pytest.mark.parametrize(("name", "viewer"), PLAYED)
def test_a_flip_of_any_bit_of_the_file_is_found(name: str, viewer: Viewer) -> None:
    rng, data = Random(name), bundle(name, viewer)
    for _ in range(25):
        at = rng.randrange(len(data))
        bad = data[:at] + bytes([data[at] ^ (1 << rng.randrange(8))]) + data[at + 1 :]
        found = checked(bad)
        assert found.fault is not None, at


def test_damage_of_the_first_event_is_named_by_it() -> None:
    data = bundle("ambition_tricks", ALL)
    at = data.index(b'"kind":"match_created"')
    assert place(data[:at] + b"?" + data[at + 1 :]) == "event 1"
    bundled_id = data.index(MATCH_ID.encode(), data.index(b'"algorithm"'))
    for other in (b"'", b"z"):
        assert place(data[:bundled_id] + other + data[bundled_id + 1 :]) == "event 1"


def test_a_listing_of_another_name_is_named_by_the_member_that_is_there() -> None:
    data = bundle("high_card", ALL)
    at = data.index(b'"tables.bin"')
    assert place(data[: at + 6] + b"t" + data[at + 7 :]) == TABLES
    told = decoded(members(data)[MANIFEST])
    told["members"]["more.bin"] = told["members"][TABLES]
    assert place(zipped({**members(data), MANIFEST: canonical(told)})) == MANIFEST


def test_damage_inside_of_a_member_is_named_by_its_event() -> None:
    data = bundle("ambition_tricks", ALL)
    at = data.index(members(data)[HEADS]) + 32 * 6
    found = checked(data[:at] + b"?" + data[at + 1 :])
    assert (found.place, found.fault and found.fault.code) == ("event 7", "hash")


@pytest.mark.parametrize("viewer", VIEWERS, ids=SHOWN)
def test_a_log_cut_short_everywhere_is_missing_what_the_proof_tells_of(viewer: Viewer) -> None:
    name = "ambition_tricks"
    at, data = table(name), bundle(name, viewer)
    found = members(data)
    widths = {HEADS: 32, FACETS: 32 * 6, SALTS: 64 if viewer >= 0 else 32}
    for upto in (1, 20, len(at.records) - 1):
        lines = found[EVENTS].split(b"\n")[:upto]
        cut = {EVENTS: b"".join(each + b"\n" for each in lines), SEED: None}
        cut |= {each: found[each][: width * upto] for each, width in widths.items()}
        head = found[HEADS][32 * upto - 32 : 32 * upto].hex()
        assert place(forged(data, cut, events=upto, head=head)) == f"event {upto + 1}"


def test_a_log_rewritten_from_end_to_end_is_not_the_one_in_the_log_of_all_matches() -> None:
    other = Table(registry.game("high_card"), 3).play_on(Random(8))
    data = members(bundled(other, ALL))
    mixed = forged(bundled(other, ALL), {PROOF: proof(table("high_card")).encode()})
    assert data[PROOF] != members(mixed)[PROOF]
    assert place(mixed).startswith("event ")


def test_a_liar_with_the_keys_is_found_by_the_rules() -> None:
    at = table("high_card")
    events = [e for e in at.events if not isinstance(e, MatchRevealed)]
    records = resealed(events, at.dealer)
    made = bundle_of(records, at.texts, b"")
    assert place(packed(made)) == f"event {len(events) + 1}"


@pytest.mark.parametrize(
    ("fact", "value"),
    [("match_id", "01890a5d-ac96-774b-bcce-b302099a8059"), ("game", "chess"), ("rules_version", 9),
     ("seats", 4), ("events", 3), ("head", "00" * 32), ("data_digest", "00" * 32),
     ("perspective", "seat:9"), ("perspective", "all"), ("perspective", "seat:01")],
)  # fmt: skip
def test_a_manifest_that_says_something_else_is_wrong(fact: str, value: object) -> None:
    assert place(forged(bundle("high_card", ALL), {}, **{fact: value})) == MANIFEST


def test_a_bundle_told_as_another_perspective_is_wrong() -> None:
    for viewer, told in ((ALL, "public"), (SPECTATOR, "full"), (0, "seat:1"), (0, "public")):
        assert place(forged(bundle("ambition_tricks", viewer), {}, perspective=told))


# Zips


def _zip(*entries: tuple[str, bytes], **how: Any) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in entries:
            archive.writestr(zipfile.ZipInfo(name), content, **how)
    return written.getvalue()


def _crafted() -> dict[str, bytes]:
    data = bundle("high_card", ALL)
    found = members(data)
    whole = tuple(found.items())
    return {
        "nothing": b"",
        "no zip": b"PK nothing",
        "an empty zip": _zip(),
        "a bomb": _zip((MANIFEST, bytes(1 << 20)), compress_type=zipfile.ZIP_DEFLATED),
        "a path": _zip(("../../etc/passwd", b"x")),
        "an unknown member": _zip(*whole, ("more.json", b"{}")),
        "a folder": _zip(("events/", b"")),
        "a member twice": zipped(found)[:-22] + zipped({MANIFEST: found[MANIFEST]}),
        "another order": _zip(*reversed(whole)),
        "no manifest": zipped({EVENTS: found[EVENTS]}),
        "a manifest alone": zipped({MANIFEST: found[MANIFEST]}),
        "a manifest that is none": zipped({**found, MANIFEST: b"[]"}),
        "a manifest with a blank": zipped({**found, MANIFEST: found[MANIFEST] + b" "}),
        "deep nesting": zipped({**found, MANIFEST: b"[" * 100_000}),
        "something behind": data + b"x",
        "something before": b"x" + data,
        "a comment": data[:-2] + b"\x01\x00x",
        "a size that lies": data[:22] + b"\xff\xff\xff\x7f" + data[26:],
        "cut off": data[:-1],
        "cut in the middle": data[: len(data) // 2],
        "an empty member": forged(data, {TEXTS: b""}),
        "tables of another game": forged(data, {TABLES: b"{}"}),
        "a seed too many": forged(bundle("ambition_tricks", ALL), {SEED: bytes(64)}),
        "other options": forged(data, {OPTIONS: b"{}"}),
        "no events": forged(data, {EVENTS: b""}),
        "no lines": forged(data, {EVENTS: b"\n"}),
    }


@pytest.mark.parametrize(("what", "data"), _crafted().items(), ids=_crafted())
def test_a_crafted_zip_is_refused(what: str, data: bytes) -> None:
    found = checked(data)
    assert found.fault is not None
    assert found.place


def test_a_zip_of_another_form_raises_before_anything_is_read() -> None:
    with pytest.raises(BundleRefused, match="compressed"):
        unzipped(_crafted()["a bomb"], ORDER)
    with pytest.raises(BundleRefused, match="no member '../../etc/passwd'".replace(".", r"\.")):
        unzipped(_crafted()["a path"], ORDER)


def test_perspectives_are_spelled_in_one_way() -> None:
    for viewer in (ALL, SPECTATOR, 0, 12):
        assert viewer_in(perspective_of(viewer)) == viewer
    for text in ("", "seat", "seat:", "seat:-1", "seat:+1", "seat:1 ", "seat:\u0661", "Full"):
        assert viewer_in(text) is None


# Several together


def _read(data: bytes) -> Any:
    found = checked(data).bundle
    assert found is not None
    return found


def test_bundles_of_one_log_do_not_contradict_each_other() -> None:
    given = {str(v): _read(bundle("ambition_tricks", v)) for v in VIEWERS}
    assert forks(given) == ()
    assert unjoined(given) == ()


def test_two_logs_of_one_match_are_a_fork_at_the_first_event_that_differs() -> None:
    at, other = Table(registry.game("high_card"), 3), Table(registry.game("high_card"), 3)
    other.entropy = at.entropy
    one = at.play_on(Random(1))
    another = other.play_on(Random(2))
    given = {"one": _read(bundled(one, 0)), "two": _read(bundled(another, 1))}
    (found,) = forks(given)
    pairs = zip(one.records, another.records, strict=False)
    first = next(a.version for a, b in pairs if a.hash != b.hash)
    assert (found.one, found.other, found.version) == ("one", "two", first)


def test_two_roots_of_one_size_are_a_fork() -> None:
    given = {"one": _read(bundle("high_card", ALL)), "two": _read(bundle("ambition_tricks", ALL))}
    made = msgspec.structs.replace
    other = made(given["two"].created, match_id="01890a5d-ac96-774b-bcce-b302099a8059")
    given["two"] = made(given["two"], created=other)
    (found,) = forks(given)
    assert "two roots" in found.reason
