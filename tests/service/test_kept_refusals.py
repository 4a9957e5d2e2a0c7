"""Refused moves kept as evidence: signed, chained by seat, rate limited, read by who may."""

from events.contradictions import between
from events.evidence import REFUSAL, submission
from service.refusing import MOST_A_MINUTE
from tests.service.client import Table, answer
from tests.service.conftest import Door
from tests.service.test_evidence import asked, documents_of, keys_of, said


async def test_refusals_are_signed_chained_and_kept(door: Door, table: Table) -> None:
    keys, wrong = await keys_of(door), {"type": "arrange", "cards": [98, 99]}
    decision, _ = await asked(door, table)
    told = [(await answer(door.http, table, 0, decision, wrong)).json() for _ in range(3)]
    other = (await answer(door.http, table, 1, "1.1", wrong)).json()
    documents = [each["evidence"]["document"] for each in told]
    payloads = [said(each, keys) for each in documents]
    assert [each["number"] for each in payloads] == [1, 2, 3]
    assert said(other["evidence"]["document"], keys)["number"] == 1
    assert {each["tag"] for each in documents} == {REFUSAL}
    assert (payloads[0]["code"], payloads[0]["decision"]) == ("move-not-offered", decision)
    salt = bytes.fromhex(told[0]["evidence"]["salt"])
    assert payloads[0]["submitted"] == submission(salt, wrong)
    assert between(documents_of(documents)) == []
    assert [c.code for c in between(documents_of([documents[0], documents[2]]))] == []
    cut = {**documents[1], "payload": {**documents[1]["payload"], "prev": "00" * 32}}
    assert {c.code for c in between(documents_of([documents[0], cut]))} == {"chain"}
    own = (await door.get(table.path + "/refusals", table.tokens[0])).json()["refusals"]
    assert [(each["seat"], each["number"]) for each in own] == [(0, 1), (0, 2), (0, 3)]
    assert own[0]["evidence"] == documents[0]
    assert own[0]["move"] == wrong
    early = await door.get(table.path + "/refusals")
    assert (early.status_code, early.json()["code"]) == (409, "not-revealed")
    await door.post(table.path + "/cancel")
    every = (await door.get(table.path + "/refusals?limit=3")).json()
    assert len(every["refusals"]) == 3
    rest = (await door.get(table.path + f"/refusals?limit=3&cursor={every['next']}")).json()
    assert [(each["seat"], each["number"]) for each in rest["refusals"]] == [(1, 1)]
    assert rest["next"] is None


async def test_refusals_beyond_a_number_a_minute_are_not_kept(door: Door, table: Table) -> None:
    decision, _ = await asked(door, table)
    wrong = {"type": "nothing"}
    for _ in range(MOST_A_MINUTE):
        assert "evidence" in (await answer(door.http, table, 0, decision, wrong)).json()
    beyond = await answer(door.http, table, 0, decision, wrong)
    assert beyond.status_code == 422
    assert "evidence" not in beyond.json()
    door.clock.now += 60_000
    later = (await answer(door.http, table, 0, decision, wrong)).json()["evidence"]
    assert later["document"]["payload"]["number"] == MOST_A_MINUTE + 1


async def test_who_watches_sees_no_refusals(door: Door, table: Table, other_key: str) -> None:
    spectator = (await door.post(table.path + "/spectators", json={})).json()["token"]
    assert (await door.get(table.path + "/refusals", spectator)).status_code == 403
    assert (await door.get(table.path + "/refusals", other_key)).status_code == 404
