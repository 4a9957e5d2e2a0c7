"""Webhooks at the door: made, changed, rotated, removed, each by who may."""

from typing import Any

import httpx
import msgspec
import pytest
from sqlalchemy import text

from service.settings import Settings
from tests.service.conftest import Door
from tests.service.hooking import HOOKS, changed, hooked, log_of, sent_test, shown

URL = "https://play.example.org/hooks"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


def told(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def key_of(door: Door, *scopes: str) -> str:
    made = await door.post("/v1/keys", json={"name": "own", "scopes": scopes})
    secret: str = made.json()["secret"]
    return secret


async def test_a_webhook_has_what_was_set_and_a_secret_told_once(door: Door) -> None:
    body = {"url": URL, "games": ["high_card"], "external_id_prefix": "x-"}
    headers = {"Idempotency-Key": "one"}
    first = await door.post(HOOKS, json=body, headers=headers)
    again = await door.post(HOOKS, json=body, headers=headers)
    made = first.json()
    assert (first.status_code, made["secret"][:6], made["enabled"]) == (201, "whsec_", True)
    assert "match.advanced" not in made["types"]
    assert again.json() == {**made, "secret": None}
    del made["secret"]
    assert (await door.get(first.headers["location"])).json() == made
    assert (await door.get(HOOKS)).json() == {"webhooks": [made], "next": None}


async def test_a_secret_is_stored_sealed(door: Door) -> None:
    secret = (await hooked(door, URL))["secret"].removeprefix("whsec_")
    from base64 import b64decode

    for table in ("webhook", "request"):
        query = text(f"SELECT * FROM {table}")
        rows = await door.app.parts.database.read(lambda c, q=query: c.execute(q).all())  # type: ignore[misc]
        held = [value for row in rows for value in row if isinstance(value, bytes)]
        assert secret not in repr(rows)
        assert all(b64decode(secret) not in value for value in held)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"url": "http://play.example.org/hooks"},
        {"url": "https://127.0.0.1/hooks"},
        {"url": "https://[::1]/hooks"},
        {"url": "https://169.254.169.254/latest"},
        {"url": "https://me:secret@play.example.org/"},
        {"url": "https://"},
        {"url": "ftp://play.example.org/"},
        {"url": "https://play.example.org:0/"},
        {"url": "https://play.example.org/hooks#here"},
        {"url": URL, "types": []},
        {"url": URL, "types": ["match.peeked"]},
        {"url": URL, "types": ["webhook.test"]},
        {"url": URL, "signatures": []},
        {"url": URL, "signatures": ["v2"]},
        {"url": URL, "games": ["two words"]},
        {"url": URL, "secret": "whsec_mine"},
    ],
)
async def test_what_can_not_be_sent_to_is_refused(door: Door, body: dict[str, Any]) -> None:
    assert told(await door.post(HOOKS, json=body)) == (422, "invalid-request")
    assert (await door.get(HOOKS)).json()["webhooks"] == []


async def test_who_manages_webhooks_has_to_read_matches_too(door: Door) -> None:
    hook = await hooked(door, URL)
    own = f"{HOOKS}/{hook['id']}"
    for scopes, missing in (
        (["matches:read"], "webhooks:manage"),
        (["webhooks:manage"], "matches:read"),
    ):
        key = await key_of(door, *scopes)
        auth = {"Authorization": f"Bearer {key}", "If-Match": "*"}
        for method, path, body in (
            ("GET", HOOKS, None),
            ("POST", HOOKS, {"url": URL}),
            ("GET", own, None),
            ("PATCH", own, {"name": "x"}),
            ("DELETE", own, None),
            ("POST", own + "/rotate", {}),
            ("POST", own + "/test", None),
            ("GET", own + "/deliveries", None),
        ):
            refused = await door.http.request(method, path, json=body, headers=auth)
            assert told(refused) == (403, "scope-missing"), (method, path)
            assert missing in refused.json()["errors"][0]["detail"]


async def test_another_organisation_has_no_part_in_it(door: Door, other_key: str) -> None:
    hook = await hooked(door, URL)
    own = f"{HOOKS}/{hook['id']}"
    delivery = (await sent_test(door, hook))["id"]
    assert (await door.get(HOOKS, other_key)).json()["webhooks"] == []
    auth = {"Authorization": f"Bearer {other_key}", "If-Match": "*"}
    for method, path, body in (
        ("GET", own, None),
        ("PATCH", own, {"name": "x"}),
        ("DELETE", own, None),
        ("POST", own + "/rotate", {}),
        ("POST", own + "/test", None),
        ("GET", own + "/deliveries", None),
        ("POST", f"{own}/deliveries/{delivery}/redeliver", None),
    ):
        refused = await door.http.request(method, path, json=body, headers=auth)
        assert told(refused) == (404, "webhook-not-found"), (method, path)
    assert (await shown(door, hook))["revision"] == 1


async def test_it_is_changed_and_removed_as_it_was_seen(door: Door) -> None:
    hook = await hooked(door, URL)
    path = f"{HOOKS}/{hook['id']}"
    seen = (await door.get(path)).headers["etag"]
    auth = {"Authorization": f"Bearer {door.key}"}
    blind = await door.http.patch(path, json={"name": "x"}, headers=auth)
    assert told(blind) == (428, "precondition-required")
    own = {**auth, "If-Match": seen}
    done = await door.http.patch(path, json={"types": ["match.ended"]}, headers=own)
    assert (done.status_code, done.json()["types"]) == (200, ["match.ended"])
    assert told(await door.http.patch(path, json={"name": "y"}, headers=own)) == (
        412,
        "precondition-failed",
    )
    assert told(await door.delete(path, headers={"If-Match": seen})) == (412, "precondition-failed")
    tag = done.headers["etag"]
    assert (await door.get(path, headers={"If-None-Match": tag})).status_code == 304
    assert told(await changed(door, hook, url="https://10.0.0.1/")) == (422, "invalid-request")
    assert (await door.delete(path, headers={"If-Match": tag})).status_code == 204
    assert told(await door.get(path)) == (404, "webhook-not-found")


async def test_what_waits_for_a_disabled_webhook_has_failed(door: Door) -> None:
    hook = await hooked(door, URL)
    off = await changed(door, hook, enabled=False)
    assert (off.json()["disabled"], off.json()["enabled"]) == ("by_hand", False)
    path = f"{HOOKS}/{hook['id']}"
    assert told(await door.post(path + "/test")) == (409, "webhook-disabled")
    on = await changed(door, hook, enabled=True)
    assert (on.json()["disabled"], on.json()["disabled_at"]) == (None, None)
    assert (await door.post(path + "/test")).status_code == 202
    await changed(door, hook, enabled=False)
    assert [each["state"] for each in await log_of(door, hook)] == ["failed"]


async def test_an_organisation_names_a_bounded_number(door: Door) -> None:
    hooks = [await hooked(door, URL) for _ in range(50)]
    assert told(await door.post(HOOKS, json={"url": URL})) == (409, "too-many-webhooks")
    page = (await door.get(HOOKS, params={"limit": 30})).json()
    more = (await door.get(HOOKS, params={"limit": 30, "cursor": page["next"]})).json()
    ids = [each["id"] for each in page["webhooks"] + more["webhooks"]]
    assert ids == sorted(each["id"] for each in hooks)
    await door.delete(f"{HOOKS}/{hooks[0]['id']}")
    assert (await door.post(HOOKS, json={"url": URL})).status_code == 201


async def test_deliveries_come_page_by_page_and_by_state(door: Door) -> None:
    hook = await hooked(door, URL)
    queued = []
    for _ in range(5):
        door.clock.now += 1
        queued.append((await sent_test(door, hook))["id"])
    await changed(door, hook, enabled=False)
    path = f"{HOOKS}/{hook['id']}/deliveries"
    first = (await door.get(path, params={"limit": 3})).json()
    rest = (await door.get(path, params={"limit": 3, "cursor": first["next"]})).json()
    assert [each["id"] for each in first["deliveries"] + rest["deliveries"]] == queued[::-1]
    assert rest["next"] is None
    assert await log_of(door, hook, state="pending") == []
    assert len(await log_of(door, hook, state="failed")) == 5
    assert told(await door.get(path, params={"state": "lost"})) == (400, "invalid-parameter")
    other = await hooked(door, URL)
    strange = f"{HOOKS}/{other['id']}/deliveries"
    refused = await door.get(strange, params={"cursor": first["next"]})
    assert told(refused) == (400, "invalid-parameter")


@pytest.mark.parametrize("name", ["x", "0199c830-1b2c-7000-9a6e-0d2f4b8c1e57"])
async def test_an_unknown_delivery_is_not_found(door: Door, name: str) -> None:
    hook = await hooked(door, URL)
    path = f"{HOOKS}/{hook['id']}/deliveries/{name}/redeliver"
    assert told(await door.post(path)) == (404, "delivery-not-found")


@pytest.fixture
def settings(settings: Settings) -> Settings:
    # Nothing here may ask for a name.
    return msgspec.structs.replace(settings, webhook_seconds=0.1)


@pytest.fixture(autouse=True)
def _no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    async def nowhere(host: str, port: int) -> list[str]:
        return []

    monkeypatch.setattr("service.reaching.addresses_of", nowhere)
