"""Until when a webhook is left alone whose receiver is too busy, and how often it said so."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("webhook", sa.Column("strain", sa.Integer(), nullable=False, server_default="0"))
    op.add_column(
        "webhook", sa.Column("paused_until", sa.BigInteger(), nullable=False, server_default="0")
    )
