"""The first tables: streams, idempotency, seats, secrets, organisations, keys, tokens."""

import sqlalchemy as sa
from alembic import op

from service.migrations.citus import distribute

revision = "0001"
down_revision = None

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    _create_per_match()
    _create_on_one_node()
    distribute(op.get_bind(), "match", "event", "text", "command", "seat", "mark", "snapshot")


def _create_per_match() -> None:
    op.create_table(
        "match",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("rules_version", sa.Integer(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("data_digest", sa.Text(), nullable=False),
        sa.Column("deal_group", ID, nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("head", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("result", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_match")),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 70},
    )
    op.create_index("ix_match_external_id", "match", ["org", "external_id"])
    op.create_index("ix_match_org", "match", ["org", "match_id"])
    op.create_table(
        "event",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("schema", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("facets", sa.LargeBinary(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "version", name=op.f("pk_event")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "text",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("field", sa.Text(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "version", "field", name=op.f("pk_text")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "command",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.LargeBinary(), nullable=False),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "key", name=op.f("pk_command")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "seat",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seat")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "mark",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_mark")),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 70},
    )
    op.create_table(
        "snapshot",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "version", name=op.f("pk_snapshot")),
    )


def _create_on_one_node() -> None:
    op.create_table(
        "secret",
        sa.Column("id", ID, nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_secret")),
    )
    op.create_table(
        "game_data",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("tables", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_game_data")),
    )
    op.create_table(
        "org",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_org")),
    )
    op.create_table(
        "api_key",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("prefix", sa.Text(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_key")),
    )
    op.create_index("ix_api_key_hash", "api_key", ["hash"], unique=True)
    op.create_index("ix_api_key_org", "api_key", ["org"])
    op.create_table(
        "token",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("match_id", ID, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_token")),
    )
    op.create_index("ix_token_match_id", "token", ["match_id"])
    op.create_table(
        "request",
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("headers", sa.LargeBinary(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("org", "route", "key", name=op.f("pk_request")),
    )
