"""The tables of connections to platforms, on one node like all that is of no single match."""

from typing import Final

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
)

from events.tables import ID, METADATA
from service.webhooks.tables import REWRITTEN

__all__ = ["CONNECTION", "LINK", "METADATA"]

# An organisation's account with a platform. `participants` is JSON: the platform's ids by external
# id. `credentials` are encrypted, bound to `id`. `disabled` is why nothing is sent.
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
    PrimaryKeyConstraint("id"),
    Index("ix_platform_connection_org", "org", "id"),
)

# A match whose result goes to a match of the platform, and how far that has come. `wanted` (JSON)
# is the result that shall be there, of the event `wanted_version`; `begun` (JSON) are results that
# may have been left there. `due_at` is when anybody may (next) try; whoever tries raises `claims`
# and nobody else tries until `claimed_until`. `log` is JSON: the last attempts.
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
    Column("claims", Integer, nullable=False),
    Column("claimed_until", BigInteger, nullable=False),
    Column("log", LargeBinary, nullable=False),
    PrimaryKeyConstraint("connection_id", "match_id"),
    Index("ix_platform_link_match_id", "match_id"),
    Index("ix_platform_link_state", "state", "connection_id", "due_at"),
    **REWRITTEN,
)
