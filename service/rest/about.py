"""About the service itself: who am I, is it well, what do its problems mean, its documents."""

from functools import cache
from html import escape
from importlib.resources import files
from typing import Final

import msgspec

from events.database import DatabaseFault
from service import contract
from service.errors import CODES, NotFound, ProblemNotFound
from service.http import HTML, JSON, Answer, Header, Request, json
from service.pages import problem_page
from service.parts import Parts
from service.rest.inputs import caller_of

PROBLEM_MEDIA: Final = (JSON, HTML)
PAGE: Final = (HTML,)
_KEPT: Final[Header] = (b"cache-control", b"public, max-age=3600")
_DOCS_POLICY: Final[Header] = (
    b"content-security-policy",
    b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    b"img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'",
)
_ASSETS: Final = {
    "swagger-ui.css": b"text/css; charset=utf-8",
    "index.css": b"text/css; charset=utf-8",
    "swagger-ui-bundle.js": b"text/javascript; charset=utf-8",
    "favicon-32x32.png": b"image/png",
}
_START: Final = b"""window.addEventListener("load", () => {
  window.ui = SwaggerUIBundle({
    url: "/openapi.json",
    dom_id: "#docs",
    deepLinking: true,
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
  });
});
"""
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
    caller = await caller_of(parts, request)
    settings = parts.settings
    limits = {
        "body_bytes": settings.body_limit,
        "page_events": settings.page_limit,
        "long_poll_seconds": settings.long_poll_seconds,
    }
    shown: dict[str, object]
    if caller.seat is None:
        shown = {"kind": "api_key", "org": caller.org, "prefix": caller.prefix}
    else:
        shown = {"kind": "seat_token", "match_id": caller.match_id, "seat": caller.seat}
    return json(200, {**shown, "limits": limits})


async def get_livez(parts: Parts, request: Request) -> Answer:
    return json(200, {"status": "ok"})


async def get_readyz(parts: Parts, request: Request) -> Answer:
    """Raises: DatabaseFault, where the database is away, its schema behind, or a seed shut."""
    await parts.database.require(parts.schema)
    newest = await parts.store.newest_secret()
    if newest is not None and not parts.vault.opens(newest):
        raise DatabaseFault("the newest seed does not open with this key")
    return json(200, {"status": "degraded" if parts.news.is_degraded else "ok"})


async def get_problems(parts: Parts, request: Request) -> Answer:
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
    return Answer(200, contract.served(), headers=(_KEPT,))


async def get_docs(parts: Parts, request: Request) -> Answer:
    return Answer(200, _DOCS, HTML, (_DOCS_POLICY, _KEPT))


async def get_asset(parts: Parts, request: Request) -> Answer:
    name = request.path["name"]
    if name == "start.js":
        return Answer(200, _START, b"text/javascript; charset=utf-8", (_KEPT,))
    if name not in _ASSETS:
        raise NotFound
    return Answer(200, _asset(name), _ASSETS[name], (_KEPT,))


async def get_root(parts: Parts, request: Request) -> Answer:
    return Answer(303, headers=((b"location", b"/docs"),))


@cache
def _asset(name: str) -> bytes:
    return files("swagger_ui").joinpath("static", name).read_bytes()


def _html(title: str, body: str) -> Answer:
    whole = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title></head><body><h1>{escape(title)}</h1>{body}</body></html>"
    )
    return Answer(200, whole.encode(), HTML, (_KEPT,))
