"""Lists page by page: how many, from where on, and where the next page is."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any, Final, TypeVar

import msgspec

from service import cursors
from service.http import Answer, Header, Request, json, tagged
from service.notary import FORM
from service.parts import Parts

LIMIT: Final = "limit"  # query parameters
CURSOR: Final = "cursor"
PAGING: Final = (LIMIT, CURSOR)
BROAD: Final = (20, 50)  # how many by default and at most, where each item is made of many rows

T = TypeVar("T")


class Wanted(msgspec.Struct, frozen=True):
    """A page that is asked for: at most `limit` items after `place`, None for the first ones.

    `bound_to` says which list of whom it is a page of.
    """

    limit: int
    place: str | None
    bound_to: bytes

    @property
    def one_more(self) -> int:
        """How many to look for: one beyond the page tells that it is not the last."""
        return self.limit + 1


def wanted(
    parts: Parts, request: Request, bound_to: bytes, default: int = 50, most: int = 200
) -> Wanted:
    """Raises: ParameterInvalid."""
    limit = request.whole(LIMIT, default, 1, most)
    place = cursors.opened(parts.vault, request.query(CURSOR), bound_to, name=CURSOR)
    return Wanted(limit, place, bound_to)


def page(
    parts: Parts,
    request: Request,
    asked: Wanted,
    name: str,
    found: Sequence[T],
    place_of: Callable[[T], str],
    **more: Any,
) -> Answer:
    """The page under `name`, out of up to one more than fit on it."""
    shown = found[: asked.limit]
    place = place_of(shown[-1]) if len(found) > asked.limit else None
    following, headers = next_page(parts, request, asked, place)
    return json(200, {**more, name: shown, "next": following}, headers)


def told(request: Request, shown: msgspec.Struct) -> Answer:
    """Tagged by its own bytes, which are the caller's to see."""
    body = msgspec.json.encode(shown)
    return tagged(request, f"{FORM}.{sha256(body).hexdigest()[:32]}", body)


def next_page(
    parts: Parts, request: Request, asked: Wanted, place: str | None
) -> tuple[str | None, tuple[Header, ...]]:
    """The cursor and the link (RFC 8288: the same query, further on) for what follows `place`."""
    if place is None:
        return None, ()
    cursor = cursors.sealed(parts.vault, place, asked.bound_to)
    query = str(request.scope["query_string"], "latin-1")
    kept = [part for part in query.split("&") if part and not part.startswith(f"{CURSOR}=")]
    target = "&".join([*kept, f"{CURSOR}={cursor}"])
    return cursor, ((b"link", f'<{request.scope["path"]}?{target}>; rel="next"'.encode()),)
