"""Tokens that arbitrate a match, by the name that its log has for the arbiter."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.add_column("token", sa.Column("arbiter", sa.Text(), nullable=True))
