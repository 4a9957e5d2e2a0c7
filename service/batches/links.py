"""The links of a batch: a token for each seat, for who watches, and the page that takes them.

Tokens follow from the server's key and what they are for, so a repeated request is told the same
ones although none is stored.
"""

from collections.abc import Iterable
from typing import Any

from events.canonical import prefixed
from service import credentials, identities
from service.arbiters import token_row
from service.arbitration import arbiter_name
from service.batches.rows import Watching
from service.parts import Parts
from service.player_page import Link, link_of_arbiter, link_of_seat, link_of_watcher
from service.vault import Vault


def seat_token(vault: Vault, match_id: str, seat: int) -> str:
    return credentials.seat_token(_secret(vault, "seat", match_id, seat))


def watch_token(vault: Vault, match_id: str) -> str:
    return credentials.spectator_token(_secret(vault, "watch", match_id))


def arbiter_token(vault: Vault, match_id: str, external_id: str) -> str:
    return credentials.arbiter_token(_secret(vault, "arbiter", match_id, external_id))


def seat_link(parts: Parts, match_id: str, seat: int) -> Link:
    token = seat_token(parts.vault, match_id, seat)
    return link_of_seat(parts, token, match_id, seat)


def watch_link(parts: Parts, match_id: str) -> Link:
    return link_of_watcher(parts, watch_token(parts.vault, match_id), match_id)


def arbiter_link(parts: Parts, match_id: str, external_id: str) -> Link:
    token = arbiter_token(parts.vault, match_id, external_id)
    return link_of_arbiter(parts, token, match_id)


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
