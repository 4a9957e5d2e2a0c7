"""The second half: every match has a rating now. Older programs can't make matches any more."""

import sqlalchemy as sa
from alembic import op

revision = "9002"
down_revision = "9001"


def upgrade() -> None:
    op.execute('UPDATE "match" SET rating = 0 WHERE rating IS NULL')
    with op.batch_alter_table("match") as match:
        match.alter_column("rating", existing_type=sa.BigInteger(), nullable=False)
