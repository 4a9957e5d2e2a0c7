"""The tables, the same on SQLite, PostgreSQL and Citus.

Per-match tables start with `match_id` and have it in every key, so that a cluster can spread them.
None has a serial, a trigger or a foreign key. Times are integer milliseconds since 1970.
"""

from typing import Any, Final

from sqlalchemy import (
    BigInteger,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    Uuid,
    text,
)

METADATA = MetaData(naming_convention={"pk": "pk_%(table_name)s", "ix": "ix_%(column_0_N_name)s"})

# A UUID is a string everywhere above the database: hyphenated, lower case.
ID = Uuid(as_uuid=False).with_variant(String(36), "sqlite")

# Rows that are rewritten in place leave room for their next version on the same page.
REWRITTEN: Final[dict[str, Any]] = {
    "sqlite_with_rowid": False,
    "postgresql_with": {"fillfactor": 70},
}


def _match_id() -> "Column[str]":
    return Column("match_id", ID, nullable=False)


# The head of a stream: the row every append of the match locks. `result` is set when it is over,
# `due_at` (ms): when something follows by the time alone: a flag, what a schedule says, the reveal.
MATCH = Table(
    "match",
    METADATA,
    _match_id(),
    Column("org", Text, nullable=False),
    Column("external_id", Text),
    Column("game", Text, nullable=False),
    Column("rules_version", Integer, nullable=False),
    Column("seats", Integer, nullable=False),
    Column("data_digest", Text, nullable=False),
    Column("deal_group", ID),
    Column("created_at", BigInteger, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("head", LargeBinary, nullable=False),
    Column("status", Text, nullable=False),
    Column("result", LargeBinary),
    Column("due_at", BigInteger),
    PrimaryKeyConstraint("match_id"),
    Index("ix_match_org", "org", "match_id"),
    Index("ix_match_external_id", "org", "external_id"),
    Index("ix_match_deal_group", "deal_group"),
    Index(
        "ix_match_due_at",
        "due_at",
        "match_id",
        postgresql_where=text("due_at IS NOT NULL"),
        sqlite_where=text("due_at IS NOT NULL"),
    ),
    **REWRITTEN,
)

EVENT = Table(
    "event",
    METADATA,
    _match_id(),
    Column("version", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("schema", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("body", LargeBinary, nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("facets", LargeBinary, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    PrimaryKeyConstraint("match_id", "version"),
    sqlite_with_rowid=False,
)

TEXT = Table(
    "text",
    METADATA,
    _match_id(),
    Column("version", BigInteger, nullable=False),
    Column("field", Text, nullable=False),
    Column("salt", LargeBinary, nullable=False),
    Column("text", Text, nullable=False),
    PrimaryKeyConstraint("match_id", "version", "field"),
    sqlite_with_rowid=False,
)

COMMAND = Table(
    "command",
    METADATA,
    _match_id(),
    Column("key", Text, nullable=False),
    Column("request_hash", LargeBinary, nullable=False),
    Column("first", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    PrimaryKeyConstraint("match_id", "key"),
    sqlite_with_rowid=False,
)

# The only link from a pseudonym in the log to an account.
SEAT = Table(
    "seat",
    METADATA,
    _match_id(),
    Column("seat", Integer, nullable=False),
    Column("holder", Text, nullable=False),
    Column("account", Text),
    PrimaryKeyConstraint("match_id", "seat"),
    sqlite_with_rowid=False,
)

# The account that may claim a seat, as said when the match was created.
LISTED = Table(
    "listed",
    METADATA,
    _match_id(),
    Column("seat", Integer, nullable=False),
    Column("account", Text, nullable=False),
    PrimaryKeyConstraint("match_id", "seat"),
    Index("ix_listed_account", "account", "match_id"),
    sqlite_with_rowid=False,
)

# Every account that ever held a seat: it can't arbitrate the match.
HELD = Table(
    "held",
    METADATA,
    _match_id(),
    Column("holder", Text, nullable=False),
    Column("account", Text, nullable=False),
    PrimaryKeyConstraint("match_id", "holder"),
    Index("ix_held_account", "account", "match_id"),
    sqlite_with_rowid=False,
)

# "The match has events up to this version that the feed may not have seen."
MARK = Table(
    "mark",
    METADATA,
    _match_id(),
    Column("version", BigInteger, nullable=False),
    PrimaryKeyConstraint("match_id"),
    **REWRITTEN,
)

SNAPSHOT = Table(
    "snapshot",
    METADATA,
    _match_id(),
    Column("version", BigInteger, nullable=False),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("state", LargeBinary, nullable=False),
    PrimaryKeyConstraint("match_id", "version"),
)

# A refused move: what was signed about it (JSON); move and salt can be erased by themselves.
REFUSAL = Table(
    "refusal",
    METADATA,
    _match_id(),
    Column("seat", Integer, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("link", LargeBinary, nullable=False),
    Column("evidence", LargeBinary, nullable=False),
    Column("salt", LargeBinary),
    Column("move", LargeBinary),
    PrimaryKeyConstraint("match_id", "seat", "number"),
    sqlite_with_rowid=False,
)

# What the `erased` event of a version named (`said` is its `of`), and why: what has to be erased
# again in a database that was restored. Written in the transaction of the event.
ERASURE = Table(
    "erasure",
    METADATA,
    _match_id(),
    Column("version", BigInteger, nullable=False),
    Column("said", BigInteger),
    Column("field", Text),
    Column("seat", Integer),
    Column("holder", Text),
    Column("at", BigInteger, nullable=False),
    Column("reason", Text),
    PrimaryKeyConstraint("match_id", "version"),
    sqlite_with_rowid=False,
)

# When a seat was last there (ms, 0 for never), of matches for which that will be asked.
PRESENCE = Table(
    "presence",
    METADATA,
    _match_id(),
    Column("seat", Integer, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("match_id", "seat"),
    **REWRITTEN,
)

# The log of a match that was revealed and has rested since, in place of rows of `event` and
# `command`: whole up to `version`, put here at `at`. `hashes` are those of its events, 32 bytes
# each, `log` is all else, compressed (events/archive.py).
ARCHIVE = Table(
    "archive",
    METADATA,
    _match_id(),
    Column("version", BigInteger, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("hashes", LargeBinary, nullable=False),
    Column("log", LargeBinary, nullable=False),
    PrimaryKeyConstraint("match_id"),
)

DISTRIBUTED = (
    *(MATCH, EVENT, TEXT, COMMAND, SEAT, LISTED, HELD, MARK, SNAPSHOT, REFUSAL, ERASURE),
    *(PRESENCE, ARCHIVE),
)

# On one node ------------------------------------------------------------------------------------

# The encrypted seed of a match or of a deal group.
SECRET = Table(
    "secret",
    METADATA,
    Column("id", ID, nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
    Column("key_id", Text, nullable=False),
    PrimaryKeyConstraint("id"),
)

# Matches that share all draws. `terms` is JSON, fixed before the first draw; what moves is `state`
# and, from its end on, `ended_by` and `ended_at`.
DEAL_GROUP = Table(
    "deal_group",
    METADATA,
    Column("id", ID, nullable=False),
    Column("org", Text, nullable=False),
    Column("external_id", Text),
    Column("game", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("closes_at", BigInteger, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    Column("state", Text, nullable=False),
    Column("ended_by", Text),
    Column("ended_at", BigInteger),
    PrimaryKeyConstraint("id"),
    Index("ix_deal_group_org", "org", "id"),
    Index("ix_deal_group_state", "state", "closes_at"),
)

GAME_DATA = Table(
    "game_data",
    METADATA,
    Column("digest", Text, nullable=False),
    Column("game", Text, nullable=False),
    Column("tables", LargeBinary, nullable=False),
    PrimaryKeyConstraint("digest"),
)

ORG = Table(
    "org",
    METADATA,
    Column("id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("id"),
)

# `prefix` is what may be shown of a key; `scopes` are separated by spaces.
API_KEY = Table(
    "api_key",
    METADATA,
    Column("id", Text, nullable=False),
    Column("org", Text, nullable=False),
    Column("prefix", Text, nullable=False),
    Column("hash", LargeBinary, nullable=False),
    Column("name", Text, nullable=False),
    Column("scopes", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("expires_at", BigInteger),
    Column("revoked_at", BigInteger),
    Column("revision", Integer, nullable=False, server_default="1"),
    PrimaryKeyConstraint("id"),
    Index("ix_api_key_hash", "hash", unique=True),
    Index("ix_api_key_org", "org"),
)

# `seat` is None for a token that only watches, so many versions and milliseconds behind, and for
# one that arbitrates: `arbiter` is the name that the log has for who it was made for.
TOKEN = Table(
    "token",
    METADATA,
    Column("hash", LargeBinary, nullable=False),
    _match_id(),
    Column("seat", Integer),
    Column("kind", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("revoked_at", BigInteger),
    Column("expires_at", BigInteger),
    Column("delay_versions", BigInteger, nullable=False, server_default="0"),
    Column("delay_ms", BigInteger, nullable=False, server_default="0"),
    Column("arbiter", Text),
    PrimaryKeyConstraint("hash"),
    Index("ix_token_match_id", "match_id"),
)

# Matches whose reveal waits for a window, and when (ms) to look next whether it is over.
REVEAL = Table(
    "reveal",
    METADATA,
    _match_id(),
    Column("look_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("match_id"),
    Index("ix_reveal_look_at", "look_at"),
)

# One row, of id 1: when a process that serves matches last said so (ms).
PULSE = Table(
    "pulse",
    METADATA,
    Column("id", Integer, nullable=False, autoincrement=False),
    Column("beat_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("id"),
    **REWRITTEN,
)

# From when to when (ms) no process served matches.
OUTAGE = Table(
    "outage",
    METADATA,
    Column("since", BigInteger, nullable=False, autoincrement=False),
    Column("until", BigInteger, nullable=False),
    PrimaryKeyConstraint("since"),
)

# What a creating POST answered under its Idempotency-Key; no status while it is being answered.
REQUEST = Table(
    "request",
    METADATA,
    Column("org", Text, nullable=False),
    Column("route", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("request_hash", LargeBinary, nullable=False),
    Column("status", Integer),
    Column("body", LargeBinary),
    Column("headers", LargeBinary),
    Column("at", BigInteger, nullable=False),
    PrimaryKeyConstraint("org", "route", "key"),
    Index("ix_request_at", "at"),
)

# Accounts an organisation had erased, by a keyed digest (hex): the name itself is gone.
ERASED_ACCOUNT = Table(
    "erased_account",
    METADATA,
    Column("org", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Column("reason", Text),
    PrimaryKeyConstraint("org", "account"),
)

# Whose word an organisation takes for who its users are; one of `jwks_uri` and `jwks` is set.
ISSUER = Table(
    "issuer",
    METADATA,
    Column("id", Text, nullable=False),
    Column("org", Text, nullable=False),
    Column("issuer", Text, nullable=False),
    Column("audience", Text, nullable=False),
    Column("jwks_uri", Text),
    Column("jwks", Text),
    Column("account_prefix", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("revision", Integer, nullable=False),
    PrimaryKeyConstraint("id"),
    Index("ix_issuer_org", "org"),
)

# A pass for one request, by the hash of what was handed out; `caller` is who asked for it.
TICKET = Table(
    "ticket",
    METADATA,
    Column("hash", LargeBinary, nullable=False),
    Column("path", Text, nullable=False),
    Column("caller", LargeBinary, nullable=False),
    Column("expires_at", BigInteger, nullable=False),
    PrimaryKeyConstraint("hash"),
    Index("ix_ticket_expires_at", "expires_at"),
)

# The order of all matches: positions from 1 on without gaps, written by whoever holds the epoch of
# `feed_state`. A row is what was appended to one match since its row before, or a statement of the
# log about itself, which is of no match. Never changed; position n is leaf n - 1 of the tree.
FEED = Table(
    "feed",
    METADATA,
    Column("position", BigInteger, nullable=False, autoincrement=False),
    Column("match_id", ID),
    Column("org", Text),
    Column("external_id", Text),
    Column("deal_group", ID),
    Column("first", BigInteger, nullable=False),
    Column("last", BigInteger, nullable=False),
    Column("before", LargeBinary, nullable=False),
    Column("head", LargeBinary, nullable=False),
    Column("status", Text, nullable=False),
    Column("statement", LargeBinary),
    PrimaryKeyConstraint("position"),
    Index("ix_feed_match_id", "match_id", "last", unique=True),
    Index("ix_feed_org", "org", "position"),
    sqlite_with_rowid=False,
)

# One row, of id 1: how many positions are taken, and who may take more, until when (ms).
FEED_STATE = Table(
    "feed_state",
    METADATA,
    Column("id", Integer, nullable=False, autoincrement=False),
    Column("size", BigInteger, nullable=False),
    Column("epoch", BigInteger, nullable=False),
    Column("holder", Text),
    Column("lease_until", BigInteger, nullable=False),
    Column("origin", Text),
    PrimaryKeyConstraint("id"),
    **REWRITTEN,
)

# How far a reader of the feed has come; written together with what it made of it.
CONSUMER = Table(
    "consumer",
    METADATA,
    Column("name", Text, nullable=False),
    Column("position", BigInteger, nullable=False),
    PrimaryKeyConstraint("name"),
)

# What the log says about itself; without a position until it is in the feed.
STATEMENT = Table(
    "statement",
    METADATA,
    Column("id", ID, nullable=False),
    Column("subject", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("leaf", LargeBinary, nullable=False),
    Column("signature", LargeBinary, nullable=False),
    Column("position", BigInteger),
    PrimaryKeyConstraint("id"),
    Index("ix_statement_position", "position"),
)

# The full tiles of the tree, and the root of each.
TILE = Table(
    "tile",
    METADATA,
    Column("level", Integer, nullable=False),
    Column("number", BigInteger, nullable=False),
    Column("hashes", LargeBinary, nullable=False),
    Column("root", LargeBinary, nullable=False),
    PrimaryKeyConstraint("level", "number"),
)

# Every signed root.
CHECKPOINT = Table(
    "checkpoint",
    METADATA,
    Column("size", BigInteger, nullable=False, autoincrement=False),
    Column("origin", Text, nullable=False),
    Column("root", LargeBinary, nullable=False),
    Column("note", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    PrimaryKeyConstraint("size"),
)

# Keys that sign: the private half encrypted, bound to `id`.
SIGNING_KEY = Table(
    "signing_key",
    METADATA,
    Column("id", ID, nullable=False),
    Column("purpose", Text, nullable=False),
    Column("public", LargeBinary, nullable=False),
    Column("ciphertext", LargeBinary, nullable=False),
    Column("key_id", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("retired_at", BigInteger),
    PrimaryKeyConstraint("id"),
)
