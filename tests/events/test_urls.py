"""Addresses of databases as operators write them, and which of several servers is taken."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url

from events.database import Database, DatabaseUnreachable, UrlUnsupported
from events.urls import Place, asyncpg_dsn, is_pooled, parsed_url, places_of, psycopg_url
from service import migrate
from service.cli.troubles import place_of
from tests.servers import free_port


@pytest.mark.parametrize(
    ("url", "places"),
    [
        ("postgresql://u@host/name", [("host", None)]),
        ("postgresql://u@host:7/name", [("host", 7)]),
        ("postgres:///name", [(None, None)]),
        ("postgresql:///name?host=/run/postgresql", [("/run/postgresql", None)]),
        ("postgresql://u:p@one:7,two:8/name", [("one", 7), ("two", 8)]),
        ("postgresql://one,two/name", [("one", 5432), ("two", 5432)]),
        ("postgresql://u@[::1]:7,two?sslmode=require", [("::1", 7), ("two", 5432)]),
        ("postgresql://u@/name?host=one:7&host=two", [("one", 7), ("two", 5432)]),
        ("postgresql://u@/name?host=one,two&port=7,8", [("one", 7), ("two", 8)]),
        ("postgresql://u@/name?host=one,two&port=7", [("one", 7), ("two", 7)]),
        ("postgresql://u:a,b@host/name", [("host", None)]),
        ("postgresql://u:a,b@one,two/name", [("one", 5432), ("two", 5432)]),
    ],
)
def test_the_servers_of_a_url(url: str, places: list[Place]) -> None:
    assert list(places_of(parsed_url(url))) == places


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://one:x,two/name",
        "postgresql://one,two/name?host=three",
        "postgresql://u@/name?host=one,two,three&port=7,8",
        "postgresql://u@/name?host=one,two&port=x,8",
        "postgresql://host/name?pooling=session",
    ],
)
def test_a_url_that_makes_no_sense_is_refused(url: str) -> None:
    with pytest.raises(UrlUnsupported):
        parsed_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://u:tru@Pw1@host/name",
        "postgresql://u:tru@Pw1@one,two/name",
        "postgresql://u:tru@Pw/1@host:7/name",
        "postgresql://u:tru@Pw?a=1@host/name",
        "postgresql://u:tru@Pw#1@host/name",
        "postgresql://u/x:tru@host/name",
        "postgres://u:tru@Pw,1@host/name",
        "postgresql://host:7/name?user=u&password=tru@Pw",
        "postgresql://host:7,two:8/name?password=tru@Pw",
    ],
)
def test_a_password_that_is_cut_in_two_is_refused_and_not_told(url: str) -> None:
    with pytest.raises(UrlUnsupported, match="%40") as refused:
        parsed_url(url)
    assert not {"Pw", "tru"} & set(re.findall("Pw|tru", str(refused.value)))


@settings(max_examples=200)
@given(password=st.text("@/:?#[]%,=&a1", max_size=8), servers=st.sampled_from(["h", "h:7", "h,i"]))
def test_no_part_of_a_password_becomes_the_name_of_a_place(password: str, servers: str) -> None:
    try:
        url = parsed_url(f"postgresql://u:{password}@{servers}/name")
    except UrlUnsupported:
        return
    places = place_of(f"postgresql://u:{password}@{servers}/name")
    assert url.password == unquote(password)
    assert places == place_of(f"postgresql://{servers}/name")


def test_an_at_elsewhere_is_taken_where_it_tears_nothing() -> None:
    assert parsed_url("postgresql://me@corp:pw@host/name").username == "me@corp"
    assert parsed_url("postgresql://u:p%40w@host/name").password == "p@w"
    assert parsed_url("postgresql://u:a/b==@host/name").password == "a/b=="
    assert parsed_url("postgresql://host/name?user=a&password=p@w").query["password"] == "p@w"
    assert parsed_url("sqlite:///a@b/c.db").database == "a@b/c.db"


def test_who_asks_is_the_same_with_several_servers() -> None:
    url = parsed_url("postgresql://me:p%40,w@one,two/name")
    assert (url.username, url.password, url.database) == ("me", "p@,w", "name")
    assert place_of("postgresql://me:pw@one:7,two/name") == (
        "PostgreSQL on one:7, two:5432, database name"
    )


def test_each_driver_is_given_what_it_knows() -> None:
    url = parsed_url("postgresql://u@one,two/name?sslmode=require&pooling=transaction")
    assert is_pooled(url)
    assert asyncpg_dsn(url) == "postgresql://?sslmode=require"
    given = {"host": "one,two", "port": "5432,5432", "sslmode": "require"}
    assert dict(psycopg_url(url).query) == given
    plain = psycopg_url(parsed_url("postgresql://u@one/name"))
    assert dict(plain.query) == {"target_session_attrs": "read-write"}


async def test_a_server_that_says_nothing_is_passed_over_and_then_left_alone(
    postgres_url: str,
) -> None:
    own = make_url(postgres_url)
    async with _silent() as (port, asked):
        at = f"127.0.0.1:{port},127.0.0.1:{free_port()},{own.host}:{own.port}"
        url = f"postgresql://{own.username}@{at}/{own.database}?connect_timeout=2"
        database = await Database.open(url)
        assert len(asked) == 2  # by who writes and by who reads
        together = [database.read(_slow) for _ in range(5)]
        assert await asyncio.gather(*together) == [1] * 5
        assert len(asked) == 2
        await database.close()
        assert await asyncio.to_thread(migrate.current_revision, url) == migrate.head_revision()


async def test_every_server_is_named_when_none_can_be_had() -> None:
    one, two = free_port(), free_port()
    with pytest.raises(DatabaseUnreachable, match=rf"127.0.0.1:{one}: .*; 127.0.0.1:{two}: "):
        await Database.open(f"postgresql://nobody@127.0.0.1:{one},127.0.0.1:{two}/name")


@asynccontextmanager
async def _silent() -> AsyncIterator[tuple[int, list[int]]]:
    """The port of a server that never answers, and one entry for each who asked."""
    asked: list[int] = []
    writers: list[asyncio.StreamWriter] = []

    async def listen(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(1)
        writers.append(writer)

    server = await asyncio.start_server(listen, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], asked
    finally:
        server.close()
        for writer in writers:
            writer.transport.abort()
        await server.wait_closed()


def _slow(connection: Connection) -> int:
    connection.execute(text("SELECT pg_sleep(0.2)"))
    return 1
