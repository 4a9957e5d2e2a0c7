"""Results, batches and series. Results of what is played already are made of the feed."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    _create_results()
    _create_batches()
    _create_series()


def _create_results() -> None:
    op.create_table(
        "result",
        sa.Column("position", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("match_id", ID, nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("deal_group", ID, nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_result")),
    )
    op.create_index("ix_result_org", "result", ["org", "position"])
    op.create_index("ix_result_match_id", "result", ["match_id", "position"])


def _create_batches() -> None:
    op.create_table(
        "batch",
        sa.Column("id", ID, nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_batch")),
    )
    op.create_index("ix_batch_org", "batch", ["org", "id"])
    op.create_index("ix_batch_external_id", "batch", ["org", "external_id"], unique=True)
    op.create_table(
        "batch_match",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("batch_id", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_batch_match")),
    )
    op.create_index("ix_batch_match_batch_id", "batch_match", ["batch_id", "number", "attempt"])
    op.create_index(
        "ix_batch_match_external_id", "batch_match", ["org", "external_id"], unique=True
    )


def _create_series() -> None:
    op.create_table(
        "series",
        sa.Column("id", ID, nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("batch_id", ID, nullable=True),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("tally", sa.LargeBinary(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_series")),
    )
    op.create_index("ix_series_org", "series", ["org", "id"])
    op.create_index("ix_series_external_id", "series", ["org", "external_id"], unique=True)
    op.create_index("ix_series_batch_id", "series", ["batch_id", "number"])
    op.create_index("ix_series_due_at", "series", ["due_at"])
    op.create_table(
        "series_entrant",
        sa.Column("series_id", ID, nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("series_id", "entrant", name=op.f("pk_series_entrant")),
    )
    op.create_index("ix_series_entrant_hash", "series_entrant", ["hash"], unique=True)
    op.create_table(
        "series_match",
        sa.Column("series_id", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("match_id", ID, nullable=False),
        sa.Column("seating", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("series_id", "number", "attempt", name=op.f("pk_series_match")),
    )
    op.create_index("ix_series_match_match_id", "series_match", ["match_id"], unique=True)
