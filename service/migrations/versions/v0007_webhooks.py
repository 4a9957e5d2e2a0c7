"""Webhooks and what is to be sent to them. They begin where the feed is now."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    op.create_table(
        "webhook",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("types", sa.Text(), nullable=False),
        sa.Column("games", sa.Text(), nullable=False),
        sa.Column("external_id_prefix", sa.Text(), nullable=False),
        sa.Column("signatures", sa.Text(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("previous", sa.LargeBinary(), nullable=True),
        sa.Column("previous_until", sa.BigInteger(), nullable=True),
        sa.Column("disabled", sa.Text(), nullable=True),
        sa.Column("disabled_at", sa.BigInteger(), nullable=True),
        sa.Column("failing_since", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook")),
    )
    op.create_index("ix_webhook_org", "webhook", ["org", "id"])
    op.create_table(
        "delivery",
        sa.Column("id", ID, nullable=False),
        sa.Column("webhook_id", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("match_id", ID, nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("log", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delivery")),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 70},
    )
    op.create_index("ix_delivery_webhook_id", "delivery", ["webhook_id", "id"])
    op.create_index("ix_delivery_state", "delivery", ["state", "webhook_id", "due_at"])
    # Nobody waits for what happened before there were webhooks.
    op.execute(
        "INSERT INTO consumer (name, position) "
        "SELECT 'webhooks', size FROM feed_state WHERE size > 0"
    )
