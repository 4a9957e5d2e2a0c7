"""The tables of webhooks, on one node like all that is of no single match."""

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
)

from events.tables import ID, METADATA, REWRITTEN

__all__ = ["DELIVERY", "METADATA", "WEBHOOK"]

# Where an organisation is told what happens to its matches. `types`, `games` and `signatures` are
# words separated by spaces, no games being all. `secret` and `previous` are encrypted, bound to
# `id`; the previous one signs until `previous_until` as well. `disabled` is why nothing is sent.
# `strain` counts tries in a row after its receiver said that it is too busy: nothing is sent until
# `paused_until` then.
WEBHOOK = Table(
    "webhook",
    METADATA,
    Column("id", Text, nullable=False),
    Column("org", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("types", Text, nullable=False),
    Column("games", Text, nullable=False),
    Column("external_id_prefix", Text, nullable=False),
    Column("signatures", Text, nullable=False),
    Column("secret", LargeBinary, nullable=False),
    Column("previous", LargeBinary),
    Column("previous_until", BigInteger),
    Column("disabled", Text),
    Column("disabled_at", BigInteger),
    Column("failing_since", BigInteger),
    Column("created_at", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("strain", Integer, nullable=False, server_default="0"),
    Column("paused_until", BigInteger, nullable=False, server_default="0"),
    PrimaryKeyConstraint("id"),
    Index("ix_webhook_org", "org", "id"),
)

# What is, or was, to be sent to a webhook. `due_at` is when anybody may (next) try; whoever tries
# moves it on first, so that nobody else does meanwhile. `log` is JSON: the last attempts.
DELIVERY = Table(
    "delivery",
    METADATA,
    Column("id", ID, nullable=False),
    Column("webhook_id", Text, nullable=False),
    Column("org", Text, nullable=False),
    Column("message_id", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("match_id", ID),
    Column("body", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Column("log", LargeBinary, nullable=False),
    PrimaryKeyConstraint("id"),
    Index("ix_delivery_webhook_id", "webhook_id", "id"),
    Index("ix_delivery_state", "state", "webhook_id", "due_at"),
    **REWRITTEN,
)
