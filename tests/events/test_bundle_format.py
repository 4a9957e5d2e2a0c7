"""A second reader of bundles, written from docs/auditing.md with nothing of our own code."""

import json
import struct
import zlib
from hashlib import sha256
from pathlib import Path

import pytest

from events.bundle import bundle_of, packed
from events.dealer import SeedDealer
from events.match import decode, evolve
from events.observe import facets
from events.types import MatchRevealed
from games.core.game import ALL, SPECTATOR, Viewer
from tests.events.bundled import bundled
from tests.events.scripted import finished
from tests.events.test_log_format import canonical, commitment, facet_salt, genesis
from tests.events.test_logs import LOGS
from tests.events.test_logs import read as stored
from tests.games import high_card

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "auditing.md"
TABLE = finished("high_card", 4)
SIGHTS: dict[str, Viewer] = {"full": ALL, "public": SPECTATOR, "seat:0": 0, "seat:3": 3}
ORDER = [
    "manifest.json", "events.ndjson", "salts.bin", "facets.bin", "heads.bin", "texts.ndjson",
    "options.json", "tables.bin", "seed.bin", "keys.json", "proof.tlog-proof",
]  # fmt: skip


def members(data: bytes) -> dict[str, bytes]:
    """By the local headers, which stand one behind the other from the first byte on."""
    found = {}
    at = 0
    while data[at : at + 4] == b"PK\x03\x04":
        head = struct.unpack("<HHHHHIIIHH", data[at + 4 : at + 30])
        needs, flags, method, time, day, crc, inside, size, name_length, extra = head
        assert (needs, flags, method, time, day, extra) == (20, 0, 0, 0, 33, 0)
        name = data[at + 30 : at + 30 + name_length].decode("ascii")
        start = at + 30 + name_length
        found[name] = data[start : start + size]
        assert inside == size
        assert zlib.crc32(found[name]) == crc
        at = start + size
    return found


def zipped(found: dict[str, bytes]) -> bytes:
    whole, central = b"", b""
    for name, data in found.items():
        common = struct.pack("<HHHHHIII", 20, 0, 0, 0, 33, zlib.crc32(data), len(data), len(data))
        rest = struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, 0o100644 << 16, len(whole))
        central += b"PK\x01\x02" + struct.pack("<BB", 20, 3) + common + rest + name.encode()
        whole += b"PK\x03\x04" + common + struct.pack("<HH", len(name), 0) + name.encode() + data
    sizes = (len(found), len(found), len(central), len(whole), 0)
    return whole + central + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, *sizes)


@pytest.mark.parametrize("sight", SIGHTS)
def test_the_zip_is_the_one_of_its_members(sight: str) -> None:
    data = bundled(TABLE, SIGHTS[sight])
    found = members(data)
    assert zipped(found) == data
    assert list(found) == [name for name in ORDER if name in found]


@pytest.mark.parametrize("sight", SIGHTS)
def test_the_manifest_is_as_described(sight: str) -> None:
    found = members(bundled(TABLE, SIGHTS[sight]))
    told = json.loads(found.pop("manifest.json"))
    listed = {n: {"size": len(d), "sha256": sha256(d).hexdigest()} for n, d in found.items()}
    assert told.pop("members") == listed
    first = json.loads(found["events.ndjson"].split(b"\n")[0])
    first = first if sight == "full" else first["data"]
    for name in ("match_id", "game", "rules_version", "data_digest", "seats"):
        assert told.pop(name) == first[name]
    assert told == {
        "format": "plyscribe/bundle/1",
        "perspective": sight,
        "events": found["events.ndjson"].count(b"\n"),
        "head": found["heads.bin"][-32:].hex(),
    }
    assert found["options.json"] == canonical(first["options"])
    assert sha256(found["tables.bin"]).hexdigest() == first["data_digest"]


@pytest.mark.parametrize("sight", SIGHTS)
def test_chain_and_commitments_are_checked_from_the_document_alone(sight: str) -> None:
    found = members(bundled(TABLE, SIGHTS[sight]))
    told = json.loads(found["manifest.json"])
    ident, seats = bytes.fromhex(told["match_id"].replace("-", "")), told["seats"]
    prev = genesis(ident, seats)
    for index, line in enumerate(found["events.ndjson"].split(b"\n")[:-1]):
        version, width = index + 1, (seats + 2) * 32
        joined = found["facets.bin"][index * width : (index + 1) * width]
        tagged = b"plyscribe/event/1" + prev + version.to_bytes(8, "big") + joined
        prev = sha256(tagged).digest()
        assert prev == found["heads.bin"][index * 32 : (index + 1) * 32]
        parts = [joined[at : at + 32] for at in range(0, width, 32)]

        def made(salt: bytes, place: int, facet: bytes, at: int = version) -> bytes:
            return commitment(salt, ident, at, place, facet)

        if sight == "full":
            salt = found["salts.bin"][index * 32 : (index + 1) * 32]
            assert made(facet_salt(salt, seats + 1), seats + 1, line) == parts[-1]
        elif sight == "public":
            assert made(found["salts.bin"][index * 32 : (index + 1) * 32], 0, line) == parts[0]
        else:
            place = int(sight[5:]) + 1
            public, own = struct.unpack("32s32s", found["salts.bin"][index * 64 : (index + 1) * 64])
            if public == bytes(32):
                assert made(own, place, line) == parts[place]
            else:
                assert made(own, place, b"=") == parts[place]
                assert made(public, 0, line) == parts[0]


def test_the_digests_of_the_document_are_right() -> None:
    block = DOCUMENT.read_text().split("```bundles\n")[1].split("```")[0]
    told = dict(line.split(" = ") for line in block.splitlines())
    made = {each: _of_the_log(viewer) for each, viewer in SIGHTS.items()}
    assert told == {each: f"{len(data)} {sha256(data).hexdigest()}" for each, data in made.items()}


def _of_the_log(viewer: Viewer) -> bytes:
    """The bundle of a golden log, its observations made by our own code."""
    records, _ = stored(LOGS / "high_card_four_seats.jsonl")
    events = [decode(each) for each in records]
    last = events[-1]
    assert isinstance(last, MatchRevealed)
    dealer, before, shown = SeedDealer(bytes.fromhex(last.seed)), None, []
    for event in events:
        opened = facets(before, event, 4, dealer)
        own = opened[max(viewer + 1, 0)]
        shown.append(opened[0] if own == b"=" else own)
        before = evolve(before, event)
    return packed(bundle_of(records, (), high_card.TABLES, viewer=viewer, shown=shown))


if __name__ == "__main__":
    for each, viewer in SIGHTS.items():
        data = _of_the_log(viewer)
        print(f"{each} = {len(data)} {sha256(data).hexdigest()}")
