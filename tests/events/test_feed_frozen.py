"""A process that freezes within a transaction of the feed, in the one moment in which it is not
idle to PostgreSQL: between preparing a statement and running it.
"""

import asyncio

import psycopg
import pytest
from sqlalchemy import create_engine

from events import feedsql
from tests.waiting import PATIENCE


async def test_who_freezes_between_preparing_and_running_is_cut_off(postgres_url: str) -> None:
    url = postgres_url.replace("+asyncpg", "+psycopg")
    engine = create_engine(url)
    with engine.connect() as frozen, engine.connect() as other:
        if (frozen.dialect.server_version_info or (0,)) < (17,):
            pytest.skip("PostgreSQL bounds whole transactions from 17 on")
        feedsql.bound_pause(frozen, 50)
        raw = frozen.connection.driver_connection
        assert isinstance(raw, psycopg.Connection)
        raw.pgconn.enter_pipeline_mode()
        raw.pgconn.send_prepare(b"one", b"SELECT 1")
        raw.pgconn.send_flush_request()
        raw.pgconn.flush()
        query = "SELECT state FROM pg_stat_activity WHERE pid = %s"
        async with asyncio.timeout(PATIENCE):
            while other.exec_driver_sql(query, (raw.info.backend_pid,)).first() is not None:
                other.rollback()
                await asyncio.sleep(0.05)
        frozen.invalidate()
    engine.dispose()
