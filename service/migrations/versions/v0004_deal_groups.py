"""Deal groups: matches that share all draws, and the way from a group to its matches."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    op.create_table(
        "deal_group",
        sa.Column("id", ID, nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("closes_at", sa.BigInteger(), nullable=False),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("ended_by", sa.Text(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deal_group")),
    )
    op.create_index("ix_deal_group_org", "deal_group", ["org", "id"])
    op.create_index("ix_deal_group_state", "deal_group", ["state", "closes_at"])
    op.create_index("ix_match_deal_group", "match", ["deal_group"])
