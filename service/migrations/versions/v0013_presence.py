"""When the seats of a match were last there."""

import sqlalchemy as sa
from alembic import op

from service.migrations.citus import distribute

revision = "0013"
down_revision = "0012"

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    op.create_table(
        "presence",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_presence")),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 70},
    )
    distribute(op.get_bind(), "presence")
