"""The tables of connections to platforms, on one node like all that is of no single match."""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    bindparam,
)

from events.tables import ID, METADATA, REWRITTEN

__all__ = ["CONNECTION", "IS_DUE", "LINK", "METADATA"]

# An organisation's account with a platform. `participants` is JSON: the platform's ids by external
# id. `credentials` are encrypted, bound to `id`. `disabled` is why nothing is sent. Whoever tells
# something over it counts `claims` up first, and nobody else does until `claimed_until`, which is
# when it ended once it has. `strain` counts attempts in a row that failed because the platform was
# too busy or not well: nothing is sent until `paused_until` then.
CONNECTION: Final = Table(
    "platform_connection",
    METADATA,
    Column("id", Text, nullable=False),
    Column("org", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("platform", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("tournament", Text, nullable=False),
    Column("provisional", Boolean, nullable=False),
    Column("participants", LargeBinary, nullable=False),
    Column("credentials", LargeBinary, nullable=False),
    Column("disabled", Text),
    Column("disabled_at", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("claims", Integer, nullable=False),
    Column("claimed_until", BigInteger, nullable=False),
    Column("strain", Integer, nullable=False),
    Column("paused_until", BigInteger, nullable=False),
    PrimaryKeyConstraint("id"),
    Index("ix_platform_connection_org", "org", "id"),
)

# A match whose result goes to a match of the platform, and how far that has come. `wanted` (JSON)
# is the result that shall be there, of the event `wanted_version`; `begun` (JSON) are results that
# may have been left there. `due_at` is when anybody may (next) try; `claim` is the number that the
# claim of the connection had with which it was tried last. `log` is JSON: the last attempts.
LINK: Final = Table(
    "platform_link",
    METADATA,
    Column("connection_id", Text, nullable=False),
    Column("match_id", ID, nullable=False),
    Column("org", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("participants", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("wanted", LargeBinary),
    Column("wanted_version", BigInteger, nullable=False),
    Column("begun", LargeBinary, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", BigInteger, nullable=False),
    Column("claim", Integer, nullable=False),
    Column("log", LargeBinary, nullable=False),
    PrimaryKeyConstraint("connection_id", "match_id"),
    Index("ix_platform_link_match_id", "match_id"),
    Index("ix_platform_link_state", "state", "connection_id", "due_at"),
    **REWRITTEN,
)

# Of a link; what is due is pending. By the time `now`.
IS_DUE: Final[tuple[Any, ...]] = (LINK.c.state == "pending", LINK.c.due_at <= bindparam("now"))
