"""Answers kept for repetitions, without whoever is erased.

An answer may be on its way while an account is erased. It is kept under a lock on its request, for
which the erasure waits, and looks for accounts that were erased since the request came: so either
finds the other's work.
"""

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, delete, select, tuple_, update

from events.signing import SKEW_MS
from events.tables import ERASED_ACCOUNT, REQUEST, TICKET
from service.identities import Request, finish_request, hold_request
from service.known_accounts import account_digest
from service.parameters import holds, needle
from service.vault import Vault

NOBODY: Final = ""  # in place of an erased account: no account is called so
_NAMES: Final = ("account", "accounts", "entrants")  # where answers name accounts
_BY_NAME: Final = ("participants",)  # where accounts are names themselves
_PLACE: Final = (REQUEST.c.org, REQUEST.c.route, REQUEST.c.key)


def keep_answer(
    connection: Connection,
    vault: Vault,
    request: Request,
    since: int,
    status: int,
    body: bytes,
    headers: bytes,
) -> None:
    """The answer of a request that came at `since` (ms)."""
    hold_request(connection, request)
    erased = ERASED_ACCOUNT.c
    newer = (erased.org == request.org, erased.at >= since - SKEW_MS)
    digests = set(connection.execute(select(erased.account).where(*newer)).scalars())
    if digests:
        body = _without_all(vault, request.org, digests, body)
    finish_request(connection, request, status, body, headers)


def forget_answers(connection: Connection, org: str, account: str) -> None:
    """In answers kept for repetitions, and in passes that are out."""
    # What is being kept at this moment is seen by what is read from then on.
    running = select(REQUEST.c.key).where(REQUEST.c.org == org, REQUEST.c.status.is_(None))
    connection.execute(running.order_by(*_PLACE).with_for_update()).all()
    found = needle(account)
    named = select(*_PLACE, REQUEST.c.body).where(REQUEST.c.org == org, holds(connection, "body"))
    for row in connection.execute(named, found).all():
        told = msgspec.json.decode(bytes(row.body))
        if (kept := _without(told, account)) != told:
            own = tuple_(*_PLACE) == tuple_(row.org, row.route, row.key)
            connection.execute(update(REQUEST).where(own).values(body=msgspec.json.encode(kept)))
    connection.execute(delete(TICKET).where(holds(connection, "caller")), found)


def _without_all(vault: Vault, org: str, digests: set[str], body: bytes) -> bytes:
    try:
        told = msgspec.json.decode(body)
    except msgspec.DecodeError:
        return body  # An id alone.
    for name in sorted(set(_named(told))):
        if account_digest(vault, org, name) in digests:
            told, body = (kept := _without(told, name)), msgspec.json.encode(kept)
    return body


def _named(told: Any, name: str = "") -> Iterator[str]:
    """The accounts that an answer names."""
    match told:
        case dict():
            if name in _BY_NAME:
                yield from told
            for each, value in told.items():
                yield from _named(value, each)
        case list():
            for value in told:
                yield from _named(value, name)
        case str() if name in _NAMES:
            yield told


def _without(told: Any, account: str, name: str = "") -> Any:
    """The same answer, with nobody where it names the account."""
    match told:
        case dict():
            left = {n: value for n, value in told.items() if n != account or name not in _BY_NAME}
            return {each: _without(value, account, each) for each, value in left.items()}
        case list():
            return [_without(each, account, name) for each in told]
        case str() if told == account and name in _NAMES:
            return NOBODY
        case _:
            return told
