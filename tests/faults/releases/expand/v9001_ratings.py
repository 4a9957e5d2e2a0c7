"""What a next release needs: a column that older programs leave out, and a table of its own."""

import sqlalchemy as sa
from alembic import op

from tests.faults.releases import HEAD

revision = "9001"
down_revision = HEAD


def upgrade() -> None:
    op.add_column("match", sa.Column("rating", sa.BigInteger(), nullable=True))
    op.create_table(
        "rating",
        sa.Column("account", sa.Text(), primary_key=True),
        sa.Column("value", sa.BigInteger(), nullable=False),
    )
