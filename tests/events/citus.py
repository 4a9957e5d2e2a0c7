"""Stand-ins for what Citus adds to PostgreSQL, as far as it is asked for here.

They say where a match would lie and note which tables are to be spread; nothing is spread.
"""

import psycopg

SHARDS = 4
_STAND_INS = f"""
CREATE OR REPLACE FUNCTION get_shard_id_for_distribution_column(name regclass, value anyelement)
RETURNS bigint LANGUAGE sql AS
$$ SELECT 102000 + abs(hashtext(value::text)::bigint) % {SHARDS} $$;
CREATE TABLE IF NOT EXISTS pg_dist_partition (logicalrelid regclass PRIMARY KEY, beside text);
CREATE OR REPLACE FUNCTION create_distributed_table(name text, of text, colocate_with text)
RETURNS void LANGUAGE sql AS
$$ INSERT INTO pg_dist_partition SELECT name::regclass, colocate_with WHERE of = 'match_id' $$;
"""


def stand_in(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(_STAND_INS.encode())


def shard_of(url: str, match_ids: list[str]) -> dict[str, int]:
    query = (
        "SELECT id, get_shard_id_for_distribution_column('match', id) FROM unnest(%s::uuid[]) id"
    )
    with psycopg.connect(url) as connection:
        return {str(of): shard for of, shard in connection.execute(query, (match_ids,))}


def spread(url: str) -> dict[str, str]:
    """Which tables were to be spread, and beside which."""
    with psycopg.connect(url) as connection:
        rows = connection.execute("SELECT logicalrelid::text, beside FROM pg_dist_partition")
        return {name.strip('"'): beside for name, beside in rows}
