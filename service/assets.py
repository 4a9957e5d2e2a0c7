"""What the pages for people load: scripts and styles out of installed packages and of our own.

Nothing is loaded from elsewhere, and the policy of a page forbids it. GraphiQL is an exact release:
its files are served only if they are the known ones, for whoever uses the page enters a token.
"""

from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

import msgspec

from service.http import Header

_CSS: Final = b"text/css; charset=utf-8"
_JS: Final = b"text/javascript; charset=utf-8"
_PNG: Final = b"image/png"

POLICY: Final[Header] = (
    b"content-security-policy",
    b"default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    b"img-src 'self' data:; font-src data:; connect-src 'self'; base-uri 'none'; "
    b"form-action 'none'; frame-ancestors 'none'",
)
GRAPHIQL: Final = "graphene-django-graphiql-static"  # the package that carries it


class Asset(msgspec.Struct, frozen=True):
    """A file of a package; `digest` is its SHA-256 in hex if no other content will do."""

    package: str
    path: str
    media: bytes
    digest: str | None = None


def _swagger(name: str, media: bytes) -> Asset:
    return Asset("swagger_ui", f"static/{name}", media)


def _graphiql(name: str, media: bytes, digest: str) -> Asset:
    package = GRAPHIQL.replace("-", "_")
    return Asset(package, f"static/{package}/{name}", media, digest)


ASSETS: Final = {
    "swagger-ui.css": _swagger("swagger-ui.css", _CSS),
    "index.css": _swagger("index.css", _CSS),
    "swagger-ui-bundle.js": _swagger("swagger-ui-bundle.js", _JS),
    "favicon-32x32.png": _swagger("favicon-32x32.png", _PNG),
    "start.js": Asset("service", "rest/docs.js", _JS),
    # GraphiQL 2.4.7 as released, and a line feed at the end of each file.
    "graphiql.min.css": _graphiql(
        "graphiql.min.css",
        _CSS,
        "c6cd4b83f01c5e1ff4975d77bc957184dce6dec0155fbf9cc4d9190eba8a7b9d",
    ),
    "graphiql.min.js": _graphiql(
        "graphiql.min.js",
        _JS,
        "c564de05b95d184e2c5ba5ceaf2635821f6bf92f2d5777b74d91004ff6b591d1",
    ),
    # React 17.0.2, and graphql-ws 5.12.1, as released.
    "react.production.min.js": _graphiql(
        "react.production.min.js",
        _JS,
        "229bbf4d0e7488209564152c6723497f1ac3934136ca1684233d2fa88fa4146f",
    ),
    "react-dom.production.min.js": _graphiql(
        "react-dom.production.min.js",
        _JS,
        "9db33292007ab6c38527b39d5663e976a305564e19b2a5a8713ea2b2c00f505d",
    ),
    "graphql-ws.min.js": _graphiql(
        "graphql-ws.min.js",
        _JS,
        "11986f83a00d26b06c80bbcb01ad2eb8734b7a92c95421584bec656f953f6eac",
    ),
    "graphiql.css": Asset("service", "graphql/graphiql.css", _CSS),
    "graphiql.js": Asset("service", "graphql/graphiql.js", _JS),
}


@cache
def content(asset: Asset) -> bytes | None:
    """None if it is not installed, or is not what it has to be."""
    try:
        found = files(asset.package).joinpath(asset.path).read_bytes()
    except (ModuleNotFoundError, FileNotFoundError):
        return None
    if asset.digest is not None and sha256(found).hexdigest() != asset.digest:
        return None
    return found


def is_complete(*names: str) -> bool:
    return all(content(ASSETS[name]) is not None for name in names)
