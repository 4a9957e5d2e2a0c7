"""Logs of matches that rest, in one row each."""

import sqlalchemy as sa
from alembic import op

from service.migrations.citus import distribute

revision = "0015"
down_revision = "0014"

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    op.create_table(
        "archive",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("hashes", sa.LargeBinary(), nullable=False),
        sa.Column("log", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_archive")),
    )
    distribute(op.get_bind(), "archive")
