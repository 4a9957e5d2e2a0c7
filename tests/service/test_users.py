"""Users by signed tokens of an issuer of the organisation that owns the match."""

import asyncio
import hmac
from base64 import urlsafe_b64encode
from typing import Any

import msgspec
import pytest
from sqlalchemy import update

from events.tables import SEAT
from service.jwks import JwksRefused, fetched, keys_in
from service.reaching import is_public
from service.settings import Settings
from tests.service.conftest import GAME, Door
from tests.service.driving import reading
from tests.service.signing import KEYS, STRANGER, jwks, key_server, signed

ISS, AUD = "https://login.example.org/", "plyscribe"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return msgspec.structs.replace(settings, private_issuers=True)


def claims(door: Door, **more: Any) -> dict[str, Any]:
    now = door.clock.now // 1000
    return {"iss": ISS, "aud": AUD, "sub": "ada", "exp": now + 300, **more}


async def issuer(door: Door, token: str = "", **more: Any) -> str:
    keys = {} if "jwks_uri" in more else {"jwks": jwks()}
    body = {"issuer": ISS, "audience": AUD, **keys, **more}
    made = await door.post("/v1/issuers", token or door.key, json=body)
    assert made.status_code == 201, made.text
    location: str = made.headers["location"]
    return location


async def listed(door: Door, *accounts: str | None, token: str = "") -> str:
    """The path of a match whose seats are listed for accounts."""
    body = {"game": GAME, "seats": len(accounts), "accounts": accounts}
    made = await door.post("/v1/matches", token or door.key, json=body)
    assert made.status_code == 201, made.text
    return f"/v1/matches/{made.json()['match_id']}"


@pytest.mark.parametrize("alg", KEYS)
async def test_a_user_claims_the_seat_listed_and_plays(door: Door, alg: str) -> None:
    await issuer(door)
    path = await listed(door, "ada", "bob")
    ada = signed(claims(door), alg)
    bob = signed(claims(door, sub="bob", aud=["other", AUD]), alg)
    assert (await door.get(path, ada)).json()["status"] == "seating"
    other = await door.post(path + "/seats/1/claim", ada)
    assert (other.status_code, other.json()["code"]) == (403, "other-seat")
    for seat, token in enumerate((ada, bob)):
        claimed = await door.post(f"{path}/seats/{seat}/claim", token)
        assert (claimed.status_code, claimed.json()["token"]) == (200, None)
    view = (await door.get(path + "/view", ada)).json()
    assert (view["viewer"], view["status"]) == (0, "running")
    decision = (await door.get(path + "/decision", ada)).json()["decision"]
    listed_moves = (await door.get(path + "/decision/moves", ada)).json()["moves"]
    body = {"decision": decision["id"], "move": listed_moves[0]["move"]}
    assert (await door.post(path + "/moves", ada, json=body)).status_code == 200
    assert (await door.post(path + "/moves", ada, json=body)).headers["plyscribe-replayed"]
    wrong = await door.post(path + "/moves", bob, json=body)
    assert (wrong.status_code, wrong.json()["code"]) == (403, "other-seat")
    me = (await door.get(f"/v1/me?match={path.rpartition('/')[2]}", ada)).json()
    assert (me["kind"], me["account"], me["seats"]) == ("user", "ada", [0])
    assert b'"ada"' not in (await door.get(path + "/events")).content


async def test_a_user_of_several_seats_says_which(door: Door) -> None:
    """Matches of earlier versions may have one at several."""
    await issuer(door)
    path = await listed(door, "ada", None, "bob")
    ada = signed(claims(door))
    assert (await door.post(f"{path}/seats/0/claim", ada)).status_code == 200
    for seat in (1, 2):
        await door.post(f"{path}/seats/{seat}/claim")
    own = (SEAT.c.match_id == path.rpartition("/")[2], SEAT.c.seat == 1)
    await door.app.parts.database.write(
        lambda c: c.execute(update(SEAT).where(*own).values(account="ada"))
    )
    views = [(await door.get(f"{path}/view?seat={s}", ada)).json()["viewer"] for s in (0, 1)]
    assert views == [0, 1]
    refused = await door.get(f"{path}/view?seat=2", ada)
    assert (refused.status_code, refused.json()["code"]) == (403, "other-seat")


async def test_whatever_is_wrong_is_401(door: Door, other_key: str) -> None:
    await issuer(door)
    await issuer(door, other_key, audience="another")
    path, theirs = (
        await listed(door, "ada", None),
        await listed(door, "bob", "ada", token=other_key),
    )
    good, now = claims(door), door.clock.now // 1000
    assert (await door.get(path, signed(good))).status_code == 200
    without = {name: value for name, value in good.items() if name != "exp"}
    wrong = [
        signed({**good, "iss": "https://elsewhere.example/"}),
        signed({**good, "aud": "other"}),
        signed({**good, "aud": []}),
        signed({**good, "exp": now}),
        signed({**good, "nbf": now + 31}),
        signed({**good, "sub": ""}),
        signed({**good, "sub": "eve"}),
        signed({**good, "sub": 7}),
        signed(without),
        signed(good, key=STRANGER),
        signed(good, kid="none"),
        signed(good)[:-4] + "AAAA",
        "a.b.c",
        "e30.e30.e30",
    ]
    bodies = set()
    for token in wrong:
        refused = await door.get(path, token)
        assert refused.status_code == 401, token
        bodies.add(refused.content)
    for address in (theirs, "/v1/matches/01890a5d-ac96-774b-bcce-b302099a8057", "/v1/me"):
        refused = await door.get(address, signed(good))
        assert refused.status_code == 401
        bodies.add(refused.content)
    assert len(bodies) == 1


async def test_no_algorithm_but_ours(door: Door) -> None:
    from joserfc import jws

    await issuer(door)
    path, payload = await listed(door, "ada", None), msgspec.json.encode(claims(door))
    # The public key as a secret: the classic confusion.
    said = _packed(b'{"alg":"HS256","kid":"rs"}') + b"." + _packed(payload)
    mac = hmac.digest(KEYS["RS256"].as_pem(private=False), said, "sha256")
    forged = (said + b"." + _packed(mac)).decode()
    assert (await door.get(path, forged)).status_code == 401
    head = jws.serialize_compact({"alg": "RS256", "kid": "rs"}, payload, KEYS["RS256"], ["RS256"])
    none = "eyJhbGciOiJub25lIn0." + head.split(".")[1] + "."
    assert (await door.get(path, none)).status_code == 401
    other = jws.serialize_compact({"alg": "RS512", "kid": "rs"}, payload, KEYS["RS256"], ["RS512"])
    assert (await door.get(path, other)).status_code == 401


def _packed(data: bytes) -> bytes:
    return urlsafe_b64encode(data).rstrip(b"=")


async def test_a_prefix_keeps_issuers_apart(door: Door) -> None:
    await issuer(door, jwks=jwks(), account_prefix="club:")
    path = await listed(door, "ada", "club:ada")
    claimed = [await door.post(f"{path}/seats/{s}/claim", signed(claims(door))) for s in (0, 1)]
    assert [each.status_code for each in claimed] == [403, 200]


async def test_keys_are_fetched_and_refetched_once_a_minute(door: Door) -> None:
    async with key_server() as server:
        server.serve(KEYS["ES256"])
        await issuer(door, jwks_uri=server.url)
        path = await listed(door, "ada", None)
        assert (await door.get(path, signed(claims(door)))).status_code == 200
        assert b"host: localhost" in server.seen[0].lower()
        for _ in range(3):
            assert (await door.get(path, signed(claims(door), "RS256"))).status_code == 401
        assert server.asked == 1
        server.serve(*KEYS.values())
        door.clock.now += 60_000
        assert (await door.get(path, signed(claims(door), "RS256"))).status_code == 200
        assert server.asked == 2
        server.serve(KEYS["RS256"])
        door.clock.now += 600_000
        assert (await door.get(path, signed(claims(door)))).status_code == 401


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 302 Found\r\nlocation: /other\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 70000\r\n\r\n" + b" " * 70000,
        b"garbage",
    ],
)
async def test_answers_that_are_refused(answer: bytes) -> None:
    async with key_server() as server:
        server.answer = answer
        with pytest.raises(JwksRefused):
            await fetched(server.url, allow_private=True)


async def test_private_addresses_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async with key_server() as server:
        for url in (server.url, server.url.replace("http:", "https:"), "file:///etc/passwd"):
            with pytest.raises(JwksRefused):
                await fetched(url)
        assert server.asked == 0
        server.answer = b""
        monkeypatch.setattr("service.jwks.SECONDS", 0.1)

        async def slow(*_: Any) -> Any:
            await asyncio.sleep(1)

        monkeypatch.setattr("service.reaching._reached", slow)
        with pytest.raises(JwksRefused):
            await fetched(server.url, allow_private=True)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("fe80::1%eth0", False),
        ("fc00::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
        ("2001:0:1::1", False),
        ("64:ff9b::5db8:d822", True),
        ("fec0::1", False),
        ("::127.0.0.1", False),
        ("::a00:1", False),
        ("::93.184.216.34", False),
        ("64:ff9b:1::7f00:1", False),
        ("64:ff9b:1:7f00:1::", False),
        ("::ffff:0:127.0.0.1", False),
        ("100::1", False),
        ("2001:db8::1", False),
        ("3fff::1", False),
        ("5f00::1", False),
        ("ff0e::1", False),
    ],
)
def test_what_is_public(address: str, public: bool) -> None:
    assert is_public(address) is public


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b'{"keys": 1}',
        b'{"keys": [{"kty": "EC"}]}',
        b'{"keys":[{"kty":"oct","k":"AA"}]}',
    ],
)
def test_sets_that_are_none(data: bytes) -> None:
    with pytest.raises(JwksRefused):
        keys_in(data)


def test_a_private_key_is_refused() -> None:
    with pytest.raises(JwksRefused):
        keys_in(msgspec.json.encode({"keys": [KEYS["ES256"].as_dict(private=True)]}))


async def test_an_issuer_is_changed_as_it_was_seen(door: Door) -> None:
    location = await issuer(door)
    path = await listed(door, "ada", None)
    token = signed(claims(door))
    assert (await door.get(path, token)).status_code == 200
    tag = (await door.get(location)).headers["etag"]
    auth = {"Authorization": f"Bearer {door.key}"}
    blind = await door.http.patch(location, json={"audience": "x"}, headers=auth)
    assert (blind.status_code, blind.json()["code"]) == (428, "precondition-required")
    headers = {**auth, "If-Match": tag}
    changed = await door.http.patch(location, json={"audience": "x"}, headers=headers)
    assert (changed.status_code, changed.json()["revision"]) == (200, 2)
    assert (await door.get(path, token)).status_code == 401
    stale = await door.http.patch(location, json={"audience": AUD}, headers=headers)
    assert (stale.status_code, stale.json()["code"]) == (412, "precondition-failed")
    assert (await door.delete(location)).status_code == 204
    assert (await door.get(location)).status_code == 404


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"jwks_uri": "https://x.example/", "jwks": {"keys": []}},
        {"jwks_uri": "ftp://x.example/"},
        {"jwks_uri": "https://me:secret@x.example/"},
        {"jwks_uri": "https://["},
        {"jwks": {"keys": []}},
        {"jwks": {"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}},
    ],
)
async def test_issuers_that_are_refused(door: Door, body: dict[str, Any]) -> None:
    refused = await door.post("/v1/issuers", json={"issuer": ISS, "audience": AUD, **body})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid-request")


async def test_a_users_stream_ends_with_its_token(door: Door) -> None:
    await issuer(door)
    path = await listed(door, "ada", None)
    token = signed(claims(door))
    await door.post(path + "/seats/0/claim", token)
    events = path + "/events"
    ticket = (await door.post("/v1/tickets", token, json={"path": events})).json()["ticket"]
    sse = "text/event-stream"
    async with (
        reading(door.app, events, token, sse) as own,
        reading(door.app, events, None, sse, f"ticket={ticket}") as by_ticket,
    ):
        for stream in (own, by_ticket):
            await stream.until(b'"version":2')
        door.clock.now += 300_000
        for stream in (own, by_ticket):
            await stream.rest(3)


async def test_accounts_are_one_for_each_seat(door: Door) -> None:
    body = {"game": GAME, "seats": 3, "accounts": ["ada"]}
    refused = await door.post("/v1/matches", json=body)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid-request")


async def test_an_organisation_names_a_bounded_number_of_issuers(door: Door) -> None:
    for number in range(100):
        await issuer(door, audience=str(number))
    body = {"issuer": ISS, "audience": AUD, "jwks": jwks()}
    refused = await door.post("/v1/issuers", json=body)
    assert (refused.status_code, refused.json()["code"]) == (409, "too-many-issuers")
    listed_now = (await door.get("/v1/issuers", params={"limit": 200})).json()
    assert (len(listed_now["issuers"]), listed_now["next"]) == (100, None)
    assert (await door.delete(f"/v1/issuers/{listed_now['issuers'][0]['id']}")).status_code == 204
    assert (await door.post("/v1/issuers", json=body)).status_code == 201
