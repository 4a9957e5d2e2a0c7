"""Addresses of databases as operators write them, in one form for both drivers."""

import re
from typing import Final

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from events.faults import UrlUnsupported

Place = tuple[str | None, int | None]  # host and port; None: as the driver finds it by itself

POOLING: Final = "pooling"
PORT: Final = 5432
TORN: Final = "has an @ too many: percent-encode the user and the password (@ is %40)"
WANTED: Final = "target_session_attrs"


def parsed_url(url: str) -> URL:
    """Several servers, `host:port,host:port`, become `host` and `port` of the query, by commas.

    Raises: UrlUnsupported.
    """
    try:
        parsed = _one_form(_without_several(url))
        is_whole = parsed.get_backend_name() == "sqlite" or not _is_cut(url)
    except (ArgumentError, ValueError):
        raise UrlUnsupported("not a database URL") from None
    backend = parsed.get_backend_name()
    if backend == "postgres":
        parsed, backend = parsed.set(drivername="postgresql"), "postgresql"
    if backend not in ("sqlite", "postgresql"):
        raise UrlUnsupported("use sqlite:///path or postgresql://user@host/name")
    if backend == "sqlite" and parsed.database in (None, "", ":memory:"):
        raise UrlUnsupported("SQLite needs a file: sqlite:///path")
    if not is_whole:
        raise UrlUnsupported(f"the URL of the database {TORN}")
    if backend == "postgresql":
        _assert_sense(parsed)
    return parsed


def is_torn(rest: str) -> bool:
    """Whether a password was cut in two: `rest` is what a parser takes for all behind the @, and in
    it is another. It would be told as the name of a place or of a database.
    """
    place, _, query = rest.partition("?")
    pairs = [each.partition("=") for each in query.split("&")]
    return "@" in place or any("@" in name + said for name, _, said in pairs if name not in _WHO)


def is_pooled(url: URL) -> bool:
    """Whether a proxy may give each transaction another connection to the server."""
    return POOLING in url.query


def places_of(url: URL) -> tuple[Place, ...]:
    """The servers of a parsed PostgreSQL URL, in order."""
    hosts: list[str | None] = [*_words(url, "host")] or [url.host]
    ports: list[int | None] = [int(each or PORT) for each in _words(url, "port")] or [url.port]
    return tuple(zip(hosts, ports * len(hosts) if len(ports) == 1 else ports, strict=True))


def psycopg_url(url: URL) -> URL:
    """For a writer, so servers that can't be written to are passed over."""
    wanted = {} if is_pooled(url) else {WANTED: "read-write"}
    return url.set(
        drivername="postgresql+psycopg",
        query={**wanted, **{name: value for name, value in url.query.items() if name != POOLING}},
    )


def asyncpg_dsn(url: URL) -> str:
    """What a URL says beside who connects where to what; `sslmode` and its like as libpq has it."""
    ours = {POOLING, WANTED, "host", "port", "connect_timeout"}
    query = {name: value for name, value in url.query.items() if name not in ours}
    return URL.create("postgresql", query=query).render_as_string(hide_password=False)


def _without_several(url: str) -> URL:
    """The URL, which names one server or none in its authority."""
    rest = _divided(url)[1]
    found = _SEVERAL.fullmatch(rest)
    if found is None:
        return make_url(url)
    servers = [_SERVER.fullmatch(each) for each in found["servers"].split(",")]
    named = [each for each in servers if each is not None]
    made = make_url(url.removesuffix(rest) + found["after"])
    if {"host", "port"} & made.query.keys():
        raise ValueError("servers are named twice")
    hosts = ",".join(each["host"].strip("[]") for each in named)
    ports = ",".join(each["port"] or str(PORT) for each in named)
    return made.update_query_dict({"host": hosts, "port": ports})


def _is_cut(url: str) -> bool:
    who, rest = _divided(url)
    # Or it names no user, and the @ is one of its query: then that was cut.
    return is_torn(rest) or _IN_QUERY.search(who) is not None


def _divided(url: str) -> tuple[str, str]:
    """Who asks, with the @, and the rest, as SQLAlchemy divides it."""
    rest = url.partition("://")[2]
    who = _USER.match(rest)
    return ("", rest) if who is None else (who[0], rest[who.end() :])


def _one_form(url: URL) -> URL:
    """`host=name:port` once for each server, as SQLAlchemy has it, is the same."""
    hosts = url.query.get("host")
    if not isinstance(hosts, tuple):
        return url
    servers = [host.rpartition(":") if ":" in host else (host, "", str(PORT)) for host in hosts]
    query = {
        "host": ",".join(host for host, _, _ in servers),
        "port": ",".join(port for _, _, port in servers),
    }
    return url.difference_update_query(("host",)).update_query_dict(query)


def _assert_sense(url: URL) -> None:
    """Raises: UrlUnsupported."""
    try:
        places_of(url)
    except ValueError:
        raise UrlUnsupported("each server of the URL needs a port of its own, or all one") from None
    if url.query.get(POOLING, "transaction") != "transaction":
        raise UrlUnsupported("the only value of pooling is transaction")


def _words(url: URL, name: str) -> list[str]:
    found = url.query.get(name, ())
    return found.split(",") if isinstance(found, str) else list(found)


_WHO = ("user", "password", "sentinel_password")  # an @ in the value tears nothing
_USER = re.compile(r"[^:/]*(?::[^@]*)?@")
_IN_QUERY = re.compile(r"\?.*=", re.DOTALL)
_HOST = r"\[[0-9a-fA-F:.]+\]|[^\[\]:/?#@,]+"
_SERVER = re.compile(rf"(?P<host>{_HOST})(?::(?P<port>\d*))?")
_ONE = rf"(?:{_HOST})(?::\d*)?"
_SEVERAL = re.compile(rf"(?P<servers>{_ONE}(?:,{_ONE})+)(?P<after>(?:[/?].*)?)", re.DOTALL)
