"""Keys that change, spectators' tokens, users' issuers, accounts listed for seats, tickets."""

import sqlalchemy as sa
from alembic import op

from service.migrations.citus import distribute

revision = "0002"
down_revision = "0001"

# Frozen here: a migration must not change when the program does.
ID = sa.Uuid(as_uuid=False).with_variant(sa.String(36), "sqlite")


def upgrade() -> None:
    _widen()
    _create()
    distribute(op.get_bind(), "listed")


def _widen() -> None:
    """What a program before this one leaves out has a default."""
    op.add_column("api_key", _number("revision", sa.Integer(), "1"))
    op.add_column("token", sa.Column("expires_at", sa.BigInteger(), nullable=True))
    op.add_column("token", _number("delay_versions", sa.BigInteger(), "0"))
    op.add_column("token", _number("delay_ms", sa.BigInteger(), "0"))
    op.create_index("ix_request_at", "request", ["at"])


def _number(name: str, kind: "sa.types.TypeEngine[int]", default: str) -> "sa.Column[int]":
    return sa.Column(name, kind, nullable=False, server_default=default)


def _create() -> None:
    op.create_table(
        "listed",
        sa.Column("match_id", ID, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_listed")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "issuer",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("org", sa.Text(), nullable=False),
        sa.Column("issuer", sa.Text(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("jwks_uri", sa.Text(), nullable=True),
        sa.Column("jwks", sa.Text(), nullable=True),
        sa.Column("account_prefix", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_issuer")),
    )
    op.create_index("ix_issuer_org", "issuer", ["org"])
    op.create_table(
        "ticket",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("caller", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_ticket")),
    )
    op.create_index("ix_ticket_expires_at", "ticket", ["expires_at"])
