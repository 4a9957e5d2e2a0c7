"""Alembic's entry: runs the migrations on the connection `service.migrate` hands over."""

from alembic import context
from sqlalchemy import Connection

from service import tournament_tables
from service.migrations.citus import migrate_one_shard_at_a_time
from service.platforms.tables import METADATA
from service.webhooks import tables

# Their tables have to be known by now.
assert tables.METADATA is tournament_tables.METADATA is METADATA

connection: Connection = context.config.attributes["connection"]
migrate_one_shard_at_a_time(connection)
context.configure(
    connection=connection,
    target_metadata=tables.METADATA,
    transactional_ddl=True,
    render_as_batch=connection.dialect.name == "sqlite",
)
context.run_migrations()
