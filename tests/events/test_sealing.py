"""New events as records: columns, facets, chain, and the head of the match after each."""

from events import chain
from events.canonical import canonical
from events.decide import ClaimSeat
from events.sealing import seal
from games import registry
from tests.events.scripted import MATCH_ID, Table, entropy

GAME = registry.game("high_card")


def test_columns_are_copies_of_the_body() -> None:
    at = Table(GAME, 2)
    for step, record in zip(at.steps, at.records, strict=True):
        assert record.body == canonical(step.event)
        assert (record.version, record.at) == (step.event.version, step.event.at)
        assert (record.kind, record.schema) == (step.event.__struct_config__.tag, 1)


def test_every_event_has_fresh_salt_and_one_commitment_per_viewer() -> None:
    at = Table(GAME, 2)
    assert len({record.salt for record in at.records}) == len(at.records)
    for each in at.sealed:
        record = each.record
        assert len(record.salt) == chain.SALT_BYTES
        assert len(each.facets) == 2 + 2
        joined = chain.commitments(MATCH_ID, record.version, record.salt, each.facets)
        assert record.facets == joined


def test_every_event_continues_the_hash_before_it() -> None:
    at = Table(GAME, 2)
    prev = chain.genesis(MATCH_ID, 2)
    for step, record in zip(at.steps, at.records, strict=True):
        assert record.hash == chain.link(prev, record.version, record.facets)
        prev = record.hash
        assert step.after.head == prev


def test_appends_continue_each_other() -> None:
    at = Table(GAME, 2, is_seated=False)
    steps = at.do(ClaimSeat(0, "ann"))
    again = seal(steps, at.dealer, entropy("other"))
    expected = chain.link(at.records[0].hash, 2, again[0].record.facets)
    assert again[0].record.hash == expected
    assert again[0].record.hash != at.records[1].hash  # Another salt, another hash.


def test_the_same_entropy_gives_the_same_bytes() -> None:
    assert Table(GAME, 3).records == Table(GAME, 3).records
