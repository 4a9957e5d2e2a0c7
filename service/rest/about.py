"""About the service itself: who am I, is it well, what do its problems mean, its documents."""

from functools import cache
from hashlib import sha256
from html import escape
from typing import Final

import msgspec

from events.database import DatabaseFault
from events.sandbox import is_test, live_org
from service import contract
from service.assets import ASSETS, POLICY, content
from service.callers import Caller, Delay, Kind
from service.errors import CODES, Fault, NotFound, ParameterInvalid, ProblemNotFound
from service.http import HTML, JSON, Answer, Header, Request, json, tagged
from service.ids import match_id_in
from service.pages import problem_page
from service.parts import Parts
from service.rest.inputs import caller_of

PROBLEM_MEDIA: Final = (JSON, HTML)
PAGE: Final = (HTML,)
_KEPT: Final[Header] = (b"cache-control", b"public, max-age=3600")
_BRIEFLY: Final[Header] = (b"cache-control", b"public, max-age=300")
_DOCS: Final = b"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Plyscribe</title>
<link rel="stylesheet" href="/docs/assets/swagger-ui.css">
<link rel="stylesheet" href="/docs/assets/index.css">
<link rel="icon" href="/docs/assets/favicon-32x32.png">
</head>
<body>
<div id="docs"></div>
<script src="/docs/assets/swagger-ui-bundle.js"></script>
<script src="/docs/assets/start.js"></script>
</body>
</html>
"""


async def get_me(parts: Parts, request: Request) -> Answer:
    given = request.query("match")
    named = None if given is None else match_id_in(given)
    caller = await caller_of(parts, request, "match", match_id=named)
    if given is not None and named is None:
        raise ParameterInvalid(Fault("match", "malformed", "is not the id of a match"))
    settings = parts.settings
    limits = {
        "body_bytes": settings.body_limit,
        "page_events": settings.page_limit,
        "long_poll_seconds": settings.long_poll_seconds,
    }
    return json(200, {"kind": caller.kind, **_shown(caller), "limits": limits})


def _shown(caller: Caller) -> dict[str, object]:
    delay = caller.delay or Delay(0, 0)
    match caller.kind:
        case Kind.KEY:
            world = {"org": live_org(caller.org), "test": is_test(caller.org)}
            return {**world, "prefix": caller.prefix, "scopes": caller.scopes}
        case Kind.SEAT:
            return {"match_id": caller.match_id, "seat": caller.seat}
        case Kind.SPECTATOR:
            return {
                "match_id": caller.match_id,
                "delay_versions": delay.versions,
                "delay_seconds": delay.ms // 1000,
            }
        case Kind.ARBITER:
            return {"match_id": caller.match_id, "arbiter": caller.arbiter}
        case Kind.USER:
            assert caller.user is not None
            own = {name: getattr(caller.user, name) for name in ("account", "seats", "listed")}
            return {"match_id": caller.match_id, **own, "expires_at": caller.user.expires_at}


async def get_livez(parts: Parts, request: Request) -> Answer:
    request.only()
    return json(200, {"status": "ok"})


async def get_startupz(parts: Parts, request: Request) -> Answer:
    """It is answered at all once the schema is right, keys are there and all parts run."""
    request.only()
    return json(200, {"status": "ok"})


async def get_readyz(parts: Parts, request: Request) -> Answer:
    """Raises: DatabaseFault, where the database is away, its schema behind, or a seed shut."""
    request.only()
    await parts.database.require(parts.schema)
    newest = await parts.store.newest_secret()
    if newest is not None and not parts.vault.opens(newest):
        raise DatabaseFault("the newest seed does not open with this key")
    is_degraded = parts.news.is_degraded or parts.store.is_full or parts.is_alone
    return json(200, {"status": "degraded" if is_degraded else "ok"})


async def get_problems(parts: Parts, request: Request) -> Answer:
    request.only()
    rows = sorted(CODES.values(), key=lambda row: row.code)
    if request.media == JSON:
        shown = [{"type": f"/problems/{row.code}", **msgspec.structs.asdict(row)} for row in rows]
        return json(200, {"problems": shown}, (_KEPT,))
    items = "".join(
        f'<li><a href="/problems/{row.code}">{row.code}</a> {row.status} {escape(row.title)}</li>'
        for row in rows
    )
    return _html("Problem types", f"<ul>{items}</ul>")


async def get_problem(parts: Parts, request: Request) -> Answer:
    request.only()
    row = CODES.get(request.path["code"])
    if row is None:
        raise ProblemNotFound
    text, html = problem_page(row.code)
    if request.media == JSON:
        own = {"type": f"/problems/{row.code}", **msgspec.structs.asdict(row), "text": text}
        return json(200, own, (_KEPT,))
    facts = f"<p><code>{row.code}</code>, status {row.status}</p>"
    return _html(row.title, facts + html)


async def get_openapi(parts: Parts, request: Request) -> Answer:
    request.only()
    return kept(request, contract.served(), JSON, ())


async def get_asyncapi(parts: Parts, request: Request) -> Answer:
    request.only()
    return kept(request, contract.served_async(), JSON, ())


async def get_docs(parts: Parts, request: Request) -> Answer:
    request.only()
    return kept(request, _DOCS, HTML, (POLICY,))


async def get_asset(parts: Parts, request: Request) -> Answer:
    request.only()
    asset = ASSETS.get(request.path["name"])
    found = None if asset is None else content(asset)
    if asset is None or found is None:
        raise NotFound
    return Answer(200, found, asset.media, (_KEPT,))


async def get_root(parts: Parts, request: Request) -> Answer:
    request.only()
    return Answer(303, media=b"", headers=((b"location", b"/docs"),))


def kept(request: Request, body: bytes, media: bytes, more: tuple[Header, ...]) -> Answer:
    """A document that is the same for everybody until the program changes: a short while."""
    return tagged(request, _digest(body), body, media, (_BRIEFLY, *more))


@cache
def _digest(body: bytes) -> str:
    return sha256(body).hexdigest()[:32]


def _html(title: str, body: str) -> Answer:
    whole = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title></head><body><h1>{escape(title)}</h1>{body}</body></html>"
    )
    return Answer(200, whole.encode(), HTML, (_KEPT,))
