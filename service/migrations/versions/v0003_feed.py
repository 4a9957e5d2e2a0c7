"""The feed of all matches, its Merkle log, the keys that sign it, and consumers."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    """All of it is small and lies on one node; the marks that it starts from are there already."""
    _create_feed()
    _create_log()
    op.execute("INSERT INTO feed_state (id, size, epoch, lease_until) VALUES (1, 0, 0, 0)")


def _create_feed() -> None:
    op.create_table(
        "feed",
        sa.Column("position", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("match_id", ID, nullable=True),
        sa.Column("org", sa.Text(), nullable=True),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("deal_group", ID, nullable=True),
        sa.Column("first", sa.BigInteger(), nullable=False),
        sa.Column("last", sa.BigInteger(), nullable=False),
        sa.Column("before", sa.LargeBinary(), nullable=False),
        sa.Column("head", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("statement", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_feed")),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_feed_match_id", "feed", ["match_id", "last"], unique=True)
    op.create_index("ix_feed_org", "feed", ["org", "position"])
    op.create_table(
        "feed_state",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.BigInteger(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("lease_until", sa.BigInteger(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_state")),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 70},
    )
    op.create_table(
        "consumer",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_consumer")),
    )


def _create_log() -> None:
    op.create_table(
        "statement",
        sa.Column("id", ID, nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("leaf", sa.LargeBinary(), nullable=False),
        sa.Column("signature", sa.LargeBinary(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_statement")),
    )
    op.create_index("ix_statement_position", "statement", ["position"])
    op.create_table(
        "tile",
        sa.Column("level", sa.Integer(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("hashes", sa.LargeBinary(), nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("level", "number", name=op.f("pk_tile")),
    )
    op.create_table(
        "checkpoint",
        sa.Column("size", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("size", name=op.f("pk_checkpoint")),
    )
    op.create_table(
        "signing_key",
        sa.Column("id", ID, nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("public", sa.LargeBinary(), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("retired_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_signing_key")),
    )
