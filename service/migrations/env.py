"""Alembic's entry: runs the migrations on the connection `service.migrate` hands over."""

from alembic import context
from sqlalchemy import Connection

from service.migrations.citus import migrate_one_shard_at_a_time
import service.tournament_tables  # its tables are among them
from service.webhooks.tables import METADATA  # with all tables there are

connection: Connection = context.config.attributes["connection"]
migrate_one_shard_at_a_time(connection)
context.configure(
    connection=connection,
    target_metadata=METADATA,
    transactional_ddl=True,
    render_as_batch=connection.dialect.name == "sqlite",
)
context.run_migrations()
