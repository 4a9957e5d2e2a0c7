"""Accounts that held a seat, and matches whose reveal waits for disputes."""

import sqlalchemy as sa
from alembic import op

from service.migrations.citus import distribute

revision = "0005"
down_revision = "0004"

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    op.create_table(
        "held",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "holder", name=op.f("pk_held")),
        sqlite_with_rowid=False,
    )
    op.execute(
        "INSERT INTO held (match_id, holder, account)"
        " SELECT match_id, holder, account FROM seat WHERE account IS NOT NULL"
    )
    op.create_table(
        "reveal",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("look_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_reveal")),
    )
    op.create_index("ix_reveal_look_at", "reveal", ["look_at"])
    distribute(op.get_bind(), "held")
