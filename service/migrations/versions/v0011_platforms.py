"""Connections to platforms and the matches linked over them. They begin where the feed is now."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    op.create_table(
        "platform_connection",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("platform", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("tournament", sa.Text(), nullable=False),
        sa.Column("provisional", sa.Boolean(), nullable=False),
        sa.Column("participants", sa.LargeBinary(), nullable=False),
        sa.Column("credentials", sa.LargeBinary(), nullable=False),
        sa.Column("disabled", sa.Text(), nullable=True),
        sa.Column("disabled_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("claims", sa.Integer(), nullable=False),
        sa.Column("claimed_until", sa.BigInteger(), nullable=False),
        sa.Column("strain", sa.Integer(), nullable=False),
        sa.Column("paused_until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_platform_connection")),
    )
    op.create_index("ix_platform_connection_org", "platform_connection", ["org", "id"])
    op.create_table(
        "platform_link",
        sa.Column("connection_id", sa.Text(), nullable=False),
        sa.Column("match_id", ID, nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("participants", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("wanted", sa.LargeBinary(), nullable=True),
        sa.Column("wanted_version", sa.BigInteger(), nullable=False),
        sa.Column("begun", sa.LargeBinary(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("claim", sa.Integer(), nullable=False),
        sa.Column("log", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("connection_id", "match_id", name=op.f("pk_platform_link")),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 70},
    )
    op.create_index("ix_platform_link_match_id", "platform_link", ["match_id"])
    op.create_index("ix_platform_link_state", "platform_link", ["state", "connection_id", "due_at"])
    # Nothing was linked before there were links. It is there from the start, to be locked.
    op.execute(
        "INSERT INTO consumer (name, position) SELECT 'platforms', COALESCE(MAX(size), 0) "
        "FROM feed_state"
    )
