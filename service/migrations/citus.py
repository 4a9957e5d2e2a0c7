"""What migrations do on a Citus cluster and nowhere else.

Rules for what runs unchanged there: no serial added later, no trigger, no unique constraint
without `match_id`, no foreign key to a local table; expand and contract instead of renaming.
"""

from sqlalchemy import Connection, text

from events.tables import DISTRIBUTED

_SPREAD = text("SELECT logicalrelid::text FROM pg_dist_partition")


def migrate_one_shard_at_a_time(connection: Connection) -> None:
    """Without it, several statements of one migration can't touch the same distributed tables."""
    if has_citus(connection):
        connection.execute(text("SET LOCAL citus.multi_shard_modify_mode TO 'sequential'"))


def distribute(connection: Connection, *names: str) -> None:
    """Spread tables by `match_id`, all together; the first of all is `match`."""
    if not has_citus(connection):
        return
    for name in names:
        beside = "none" if name == "match" else "match"
        connection.execute(
            text("SELECT create_distributed_table(:name, 'match_id', colocate_with => :beside)"),
            {"name": f'"{name}"', "beside": beside},
        )


def unspread(connection: Connection) -> tuple[str, ...]:
    """Tables of matches that lie on one node of a cluster all the same, in the order in which they
    may be spread: it became one after they were made.
    """
    if not has_citus(connection):
        return ()
    spread = {name.strip('"') for name in connection.scalars(_SPREAD)}
    return tuple(table.name for table in DISTRIBUTED if table.name not in spread)


def has_citus(connection: Connection) -> bool:
    if connection.dialect.name != "postgresql":
        return False
    found = connection.scalar(text("SELECT 1 FROM pg_extension WHERE extname = 'citus'"))
    return found is not None
