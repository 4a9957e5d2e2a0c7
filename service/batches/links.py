"""The links of a batch: a token for each seat, for who watches, and the page that takes them.

Tokens follow from the server's key and what they are for, so a repeated request is told the same
ones although none is stored.
"""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

import msgspec

from events.canonical import prefixed
from service import credentials, identities
from service.arbiters import token_row
from service.arbitration import arbiter_name
from service.batches.rows import Watching
from service.parts import Parts
from service.vault import Vault


class Link(msgspec.Struct, frozen=True):
    """`url` is the player page with the token behind a `#`, None where no page is set."""

    token: str
    url: str | None


def seat_token(vault: Vault, match_id: str, seat: int) -> str:
    return credentials.seat_token(_secret(vault, "seat", match_id, seat))


def watch_token(vault: Vault, match_id: str) -> str:
    return credentials.spectator_token(_secret(vault, "watch", match_id))


def arbiter_token(vault: Vault, match_id: str, external_id: str) -> str:
    return credentials.arbiter_token(_secret(vault, "arbiter", match_id, external_id))


def seat_link(parts: Parts, match_id: str, seat: int) -> Link:
    token = seat_token(parts.vault, match_id, seat)
    return page_link(parts, token, match=match_id, seat=seat)


def watch_link(parts: Parts, match_id: str) -> Link:
    return page_link(parts, watch_token(parts.vault, match_id), match=match_id)


def arbiter_link(parts: Parts, match_id: str, external_id: str) -> Link:
    token = arbiter_token(parts.vault, match_id, external_id)
    return page_link(parts, token, match=match_id, arbiter=1)


def seat_rows(vault: Vault, match_id: str, seats: Iterable[int], at: int) -> list[dict[str, Any]]:
    """What is stored of the links to seats; they work from now on, to claim and to play."""
    return [_row(seat_token(vault, match_id, seat), match_id, seat, at) for seat in seats]


def watch_row(vault: Vault, match_id: str, watching: Watching, at: int) -> dict[str, Any]:
    return {
        **_row(watch_token(vault, match_id), match_id, None, at),
        "kind": identities.WATCH,
        "delay_versions": watching.delay_versions,
        "delay_ms": watching.delay_seconds * 1000,
    }


def arbiter_row(vault: Vault, org: str, match_id: str, external_id: str, at: int) -> dict[str, Any]:
    token = credentials.stored(arbiter_token(vault, match_id, external_id))
    return token_row(token, match_id, arbiter_name(vault, org, match_id, external_id), at)


def _row(token: str, match_id: str, seat: int | None, at: int) -> dict[str, Any]:
    return {
        "hash": credentials.stored(token),
        "match_id": match_id,
        "seat": seat,
        "kind": identities.PLAY,
        "created_at": at,
        "delay_versions": 0,
        "delay_ms": 0,
        "arbiter": None,
    }


def _secret(vault: Vault, *purpose: str | int) -> bytes:
    return credentials.token_secret(vault.derived(prefixed("link", *purpose)))


def page_link(parts: Parts, token: str, **about: str | int) -> Link:
    """A token on the player page, with what it is for."""
    page = parts.settings.player_page
    url = None if page is None else f"{page}#{urlencode({**about, 'token': token})}"
    return Link(token, url)
