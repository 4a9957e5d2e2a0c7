"""What was erased, and the way from an account to its matches."""

import sqlalchemy as sa
from alembic import op

from service.migrations.citus import distribute

revision = "0008"
down_revision = "0007"

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    op.create_table(
        "erasure",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("said", sa.BigInteger(), nullable=True),
        sa.Column("field", sa.Text(), nullable=True),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("match_id", "version", name=op.f("pk_erasure")),
        sqlite_with_rowid=False,
    )
    distribute(op.get_bind(), "erasure")
    op.create_table(
        "erased_account",
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("org", "account", name=op.f("pk_erased_account")),
    )
    op.create_index("ix_held_account", "held", ["account", "match_id"])
    op.create_index("ix_listed_account", "listed", ["account", "match_id"])
