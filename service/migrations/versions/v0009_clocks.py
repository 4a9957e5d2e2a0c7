"""When the next flag falls, when a process was last alive, and when none was."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.add_column("match", sa.Column("due_at", sa.BigInteger(), nullable=True))
    op.create_index(
        "ix_match_due_at",
        "match",
        ["due_at", "match_id"],
        postgresql_where=sa.text("due_at IS NOT NULL"),
        sqlite_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_table(
        "pulse",
        sa.Column("id", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("beat_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pulse")),
        sqlite_with_rowid=False,
        postgresql_with={"fillfactor": 70},
    )
    op.create_table(
        "outage",
        sa.Column("since", sa.BigInteger(), nullable=False, autoincrement=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("since", name=op.f("pk_outage")),
    )
