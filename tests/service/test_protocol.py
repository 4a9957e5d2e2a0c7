"""HTTP as it should be: methods, media types, sizes, headers, documents."""

import msgspec
import pytest

from events.tables import SECRET
from games import registry
from service.errors import CODES
from service.rest.routes import ENDPOINTS
from service.vault import Vault
from tests.service.client import Table, bearer
from tests.service.conftest import GAME, Door

UUID = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """What is tested here does not depend on the database."""
    return sqlite_url


def address(route: str) -> str:
    filled = route.replace("{match}", UUID).replace("{seat}", "0").replace("{game}", GAME)
    for name in ("{key}", "{issuer_id}", "{org}", "{spectator}"):
        filled = filled.replace(name, "none")
    return filled.replace("{code}", "not-found").replace("{name}", "index.css")


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda each: each.route)
async def test_methods_are_told(door: Door, endpoint: object) -> None:
    from service.rest.endpoint import Endpoint

    assert isinstance(endpoint, Endpoint)
    path = address(endpoint.route)
    told = await door.http.options(path)
    assert (told.status_code, told.content) == (204, b"")
    allowed = set(told.headers["allow"].split(", "))
    assert set(endpoint.methods) < allowed
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE"} - allowed:
        refused = await door.http.request(method, path)
        assert (refused.status_code, refused.json()["code"]) == (405, "method-not-allowed")
        assert refused.headers["allow"] == told.headers["allow"]
    if "GET" in endpoint.methods and "{match}" not in path:
        got, head = await door.get(path), await door.http.head(path, headers=_token(door))
        later = await door.get(path)  # Some grow by themselves.
        assert head.status_code == got.status_code
        assert head.content == b""
        assert head.headers.get("content-type") == got.headers.get("content-type")
        assert head.headers["content-length"] in {
            each.headers["content-length"] for each in (got, later)
        }


def _token(door: Door) -> dict[str, str]:
    return {"Authorization": f"Bearer {door.key}"}


@pytest.mark.parametrize(
    "path",
    ["/v1", "/v2/matches", "/v1/match", "/v1/matches/", f"/v1/matches/{UUID}/", "/v1/me/x",
     f"/v1/matches/{UUID}/seats/0/leave", "/docs/assets/../../app.py", "/docs/assets/LICENSE"],
)  # fmt: skip
async def test_addresses_that_are_none(door: Door, path: str) -> None:
    refused = await door.get(path)
    assert (refused.status_code, refused.json()["code"]) == (404, "not-found")
    assert refused.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("match", ["x", UUID.upper(), UUID.replace("-", ""), UUID, "%00"])
async def test_matches_that_are_none(door: Door, match: str) -> None:
    refused = await door.get(f"/v1/matches/{match}/view")
    assert (refused.status_code, refused.json()["code"]) == (404, "match-not-found")


async def test_bodies_are_json(door: Door) -> None:
    headers = {"Content-Type": "text/plain"}
    refused = await door.post("/v1/matches", content=b"{}", headers=headers)
    assert (refused.status_code, refused.json()["code"]) == (415, "unsupported-media-type")
    headers = {"Content-Type": "application/json; charset=utf-8"}
    taken = await door.post(
        "/v1/matches", content=msgspec.json.encode({"game": GAME, "seats": 2}), headers=headers
    )
    assert taken.status_code == 201


@pytest.mark.parametrize("body", [b"1b", b'{"game": [[[', b'{"game": 3.0, "seats"', b"[" * 50_000])
async def test_a_body_that_breaks_off_is_malformed_whatever_its_shape_so_far(
    door: Door, body: bytes
) -> None:
    headers = {**bearer(door.key), "Content-Type": "application/json"}
    for path in ("/v1/matches", "/v1/issuers", "/v1/keys"):
        answered = await door.http.post(path, content=body, headers=headers)
        assert (answered.status_code, answered.json()["code"]) == (400, "malformed-json")


async def test_bodies_are_limited(door: Door, table: Table) -> None:
    limit = door.app.settings.body_limit
    headers = {"Content-Type": "application/json"}
    for path in ("/v1/matches", table.path + "/moves", table.path + "/start"):
        token = table.tokens[0] if path.endswith("moves") else door.key
        refused = await door.post(path, token, content=b" " * (limit + 1), headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (413, "body-too-large")


async def test_a_body_of_which_nothing_is_needed_may_be_left_out(door: Door, table: Table) -> None:
    key = (await door.post("/v1/keys", json={"name": "own", "scopes": ["matches:read"]})).json()
    hook = (await door.post("/v1/webhooks", json={"url": "https://play.example.org/"})).json()
    claim = {"about": 1, "claim": "It was not so"}
    dispute = await door.post(table.path + "/disputes", table.tokens[0], json=claim)
    for path in (
        f"/v1/keys/{key['id']}/rotate",
        f"/v1/webhooks/{hook['id']}/rotate",
        f"{table.path}/spectators",
        f"{dispute.headers['location']}/review",
    ):
        without = await door.post(path)
        assert without.is_success, without.text


async def test_a_command_without_a_body_takes_none(door: Door, table: Table) -> None:
    refused = await door.post(table.path + "/start", json={"now": True})
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid-request")
    empty = await door.post(table.path + "/start", json={})
    assert empty.json()["code"] == "match-already-started"


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("application/json", 200),
        ("*/*", 200),
        ("application/*;q=0.5", 200),
        ("text/html, application/json;q=0.9", 200),
        ("text/html", 406),
        ("application/json;q=0", 406),
        ("image/png, */*;q=0.1", 200),
    ],
)
async def test_media_types_are_negotiated(
    door: Door, table: Table, accept: str, status: int
) -> None:
    for path in ("/v1/me", table.path + "/view"):
        got = await door.get(path, headers={"Accept": accept})
        assert got.status_code == status
        if status == 406:
            assert got.json()["code"] == "not-acceptable"


async def test_a_refused_media_type_does_nothing(door: Door, table: Table) -> None:
    headers = {"Accept": "image/png"}
    refused = await door.post(table.path + "/cancel", headers=headers)
    assert refused.status_code == 406
    assert (await door.get(table.path)).json()["status"] == "running"


async def test_every_answer_has_an_id_and_is_guarded(door: Door, table: Table) -> None:
    for path in ("/v1/me", "/nowhere", table.path + "/view", "/docs", "/livez"):
        got = await door.get(path)
        assert len(got.headers["x-request-id"]) == 16
        assert got.headers["x-content-type-options"] == "nosniff"
        assert "default-src 'none'" in got.headers["content-security-policy"]
        assert len(got.headers.get_list("content-security-policy")) == 1
        assert len(got.headers.get_list("cache-control")) == 1
    own = await door.get("/v1/me", headers={"X-Request-Id": "trace-7"})
    assert own.headers["x-request-id"] == "trace-7"
    foul = await door.get("/v1/me", headers={"X-Request-Id": "a b"})
    assert foul.headers["x-request-id"] != "a b"


async def test_an_unreadable_query_is_refused(door: Door) -> None:
    many = "&".join(f"a{n}=1" for n in range(60))
    for query in ("status=%ff", many):
        refused = await door.get(f"/v1/matches?{query}")
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid-parameter")


async def test_a_faulty_idempotency_key_is_refused(door: Door) -> None:
    for key in ("", '""', "x" * 256, "\x7f"):
        headers = {"Idempotency-Key": key}
        refused = await door.post("/v1/matches", json={}, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (400, "invalid-parameter")


async def test_health(door: Door) -> None:
    for path in ("/livez", "/readyz"):
        assert (await door.http.get(path)).json() == {"status": "ok"}


async def test_not_ready_while_the_database_is_away(
    door: Door, monkeypatch: pytest.MonkeyPatch
) -> None:
    from events.database import DatabaseUnreachable, SchemaBehind

    for fault in (DatabaseUnreachable("gone"), SchemaBehind(None, "0001")):

        async def away(*_: object, fault: Exception = fault) -> None:
            raise fault

        monkeypatch.setattr(door.app.parts.database, "require", away)
        unready = await door.http.get("/readyz")
        assert (unready.status_code, unready.json()["code"]) == (503, "unavailable")
        assert unready.headers["retry-after"] == "1"
        assert (await door.http.get("/livez")).status_code == 200


async def test_not_ready_while_the_newest_seed_is_shut(door: Door) -> None:
    await door.table()
    assert (await door.http.get("/readyz")).status_code == 200
    newest = "ffffffff-ffff-7fff-bfff-ffffffffffff"
    other = Vault(b"o" * 32)
    row = (newest, other.seal(newest, b"s" * 32), other.key_id)
    await door.app.parts.database.write(lambda c: c.execute(SECRET.insert().values(row)))
    unready = await door.http.get("/readyz")
    assert (unready.status_code, unready.json()["code"]) == (503, "unavailable")


async def test_games_tell_their_schemas(door: Door) -> None:
    listed = (await door.get("/v1/games")).json()["games"]
    assert [each["slug"] for each in listed] == sorted(each.slug for each in registry.games())
    game = (await door.get(f"/v1/games/{GAME}")).json()
    assert game["seats"] == [2, 3, 4]
    assert set(game) >= {"options", "moves", "view", "data_digest", "rules_version"}
    assert (await door.get(f"/v1/games/{GAME}?rules_version=1")).json() == game
    for path in ("/v1/games/none", f"/v1/games/{GAME}?rules_version=9"):
        unknown = await door.get(path)
        assert (unknown.status_code, unknown.json()["code"]) == (404, "game-not-found")


async def test_me_tells_limits(door: Door) -> None:
    me = (await door.get("/v1/me")).json()
    assert (me["kind"], me["org"], me["prefix"]) == ("api_key", "main", "pk_tests")
    assert me["limits"]["body_bytes"] == door.app.settings.body_limit
    assert door.key not in str(me)


@pytest.mark.parametrize("code", sorted(CODES))
async def test_problem_pages(door: Door, code: str) -> None:
    path = f"/problems/{code}"
    told = await door.http.get(path)
    assert told.json()["type"] == path
    assert told.json()["text"]
    shown = await door.http.get(path, headers={"Accept": "text/html,*/*;q=0.8"})
    assert shown.headers["content-type"].startswith("text/html")
    assert code in shown.text


async def test_problems_are_listed(door: Door) -> None:
    listed = (await door.http.get("/problems")).json()["problems"]
    assert [each["code"] for each in listed] == sorted(CODES)
    page = await door.http.get("/problems", headers={"Accept": "text/html"})
    assert all(f'href="/problems/{code}"' in page.text for code in CODES)
    none = await door.http.get("/problems/none")
    assert (none.status_code, none.json()["code"]) == (404, "problem-not-found")


async def test_the_docs_come_from_here_alone(door: Door) -> None:
    page = await door.http.get("/docs")
    assert page.headers["content-type"].startswith("text/html")
    assert "http:" not in page.text
    assert "https:" not in page.text
    assert "<script>" not in page.text
    for name in ("swagger-ui.css", "index.css", "swagger-ui-bundle.js", "start.js"):
        asset = await door.http.get(f"/docs/assets/{name}")
        assert asset.status_code == 200
        assert len(asset.content) > 100
    assert (await door.http.get("/")).headers["location"] == "/docs"
