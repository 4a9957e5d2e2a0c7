"""Which pages of other origins may call (CORS), as far as the operator says so.

Nothing here lets a page use what a browser holds: callers show a token, and there are no cookies.
"""

from typing import Final

from service.http import Header, Request

EXPOSED: Final = (
    b"Content-Disposition, ETag, Link, Location, Plyscribe-Evidence, Plyscribe-Replayed, "
    b"RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
)
ASKED: Final = (
    b"Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, "
    b"X-Request-Id"
)
_KEPT_SECONDS: Final = b"600"


def headers(origins: tuple[str, ...], request: Request, allow: str) -> tuple[Header, ...]:
    """What to add to an answer for a page of the request's origin."""
    origin = request.header(b"origin")
    varying: tuple[Header, ...] = () if "*" in origins else ((b"vary", b"Origin"),)
    if origin is None or not ("*" in origins or origin in origins):
        return varying
    allowed = b"*" if "*" in origins else origin.encode("latin-1")
    found = (*varying, (b"access-control-allow-origin", allowed))
    is_preflight = request.method == "OPTIONS" and request.header(b"access-control-request-method")
    if not is_preflight:
        return (*found, (b"access-control-expose-headers", EXPOSED))
    return (
        *found,
        (b"access-control-allow-methods", allow.encode()),
        (b"access-control-allow-headers", ASKED),
        (b"access-control-max-age", _KEPT_SECONDS),
    )
