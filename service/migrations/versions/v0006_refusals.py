"""Refused moves, kept as evidence."""

import sqlalchemy as sa
from alembic import op

from service.migrations.citus import distribute

revision = "0006"
down_revision = "0005"

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    op.create_table(
        "refusal",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("link", sa.LargeBinary(), nullable=False),
        sa.Column("evidence", sa.LargeBinary(), nullable=False),
        sa.Column("salt", sa.LargeBinary(), nullable=True),
        sa.Column("move", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("match_id", "seat", "number", name=op.f("pk_refusal")),
        sqlite_with_rowid=False,
    )
    distribute(op.get_bind(), "refusal")
