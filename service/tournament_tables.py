"""The tables of results, batches and series, on one node like all that is of no single match."""

from typing import Final

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

from events.tables import ID, METADATA

__all__ = ["BATCH", "BATCH_MATCH", "METADATA", "RESULT", "SERIES", "SERIES_ENTRANT", "SERIES_MATCH"]

# What became the result of a match with a row of the feed, at the same position. Made of the feed,
# and can be made of it again. `body` is JSON and names nobody.
RESULT: Final = Table(
    "result",
    METADATA,
    Column("position", BigInteger, nullable=False, autoincrement=False),
    Column("match_id", ID, nullable=False),
    Column("org", Text, nullable=False),
    Column("external_id", Text),
    Column("game", Text, nullable=False),
    Column("deal_group", ID),
    Column("body", LargeBinary, nullable=False),
    PrimaryKeyConstraint("position"),
    Index("ix_result_org", "org", "position"),
    Index("ix_result_match_id", "match_id", "position"),
)

# Matches that were made at once. `terms` is JSON and never changes.
BATCH: Final = Table(
    "batch",
    METADATA,
    Column("id", ID, nullable=False),
    Column("org", Text, nullable=False),
    Column("external_id", Text),
    Column("created_at", BigInteger, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    PrimaryKeyConstraint("id"),
    Index("ix_batch_org", "org", "id"),
    Index("ix_batch_external_id", "org", "external_id", unique=True),
)

# A match of a batch; `number` is its place. One that is played in place of another has the same
# number, the next `attempt`, and no external id of its own here, so that a name is taken once.
BATCH_MATCH: Final = Table(
    "batch_match",
    METADATA,
    Column("match_id", ID, nullable=False),
    Column("batch_id", ID, nullable=False),
    Column("number", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("org", Text, nullable=False),
    Column("external_id", Text),
    PrimaryKeyConstraint("match_id"),
    Index("ix_batch_match_batch_id", "batch_id", "number", "attempt"),
    Index("ix_batch_match_external_id", "org", "external_id", unique=True),
)

# Matches one after the other. `terms` is JSON and never changes; `tally` (JSON) is what the series
# was last said to be. `due_at` is when somebody has to look whether it goes on.
SERIES: Final = Table(
    "series",
    METADATA,
    Column("id", ID, nullable=False),
    Column("org", Text, nullable=False),
    Column("external_id", Text),
    Column("batch_id", ID),
    Column("number", Integer),
    Column("created_at", BigInteger, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    Column("state", Text, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("tally", LargeBinary, nullable=False),
    Column("due_at", BigInteger),
    PrimaryKeyConstraint("id"),
    Index("ix_series_org", "org", "id"),
    Index("ix_series_external_id", "org", "external_id", unique=True),
    Index("ix_series_batch_id", "batch_id", "number"),
    Index("ix_series_due_at", "due_at"),
)

# Who plays a series, by place; `hash` is that of the token in the entrant's link.
SERIES_ENTRANT: Final = Table(
    "series_entrant",
    METADATA,
    Column("series_id", ID, nullable=False),
    Column("entrant", Integer, nullable=False),
    Column("external_id", Text, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    PrimaryKeyConstraint("series_id", "entrant"),
    Index("ix_series_entrant_hash", "hash", unique=True),
)

# The matches of a series. `attempt` counts those that were played in place of one without a result;
# `seating` is the entrant at each seat, separated by spaces.
SERIES_MATCH: Final = Table(
    "series_match",
    METADATA,
    Column("series_id", ID, nullable=False),
    Column("number", Integer, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("match_id", ID, nullable=False),
    Column("seating", Text, nullable=False),
    PrimaryKeyConstraint("series_id", "number", "attempt"),
    Index("ix_series_match_match_id", "match_id", unique=True),
)
