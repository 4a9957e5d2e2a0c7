"""Of every column of the database, whether it may hold what is of a person.

A new one is of neither kind until somebody says so here; one that is personal needs a way to be
erased, a canary in it (tests/service/test_erased_canaries.py) and a row in docs/operations.md.
"""

from collections.abc import Iterator

from sqlalchemy import BigInteger, Boolean, Column, Connection, Integer, Uuid, select

from service.webhooks.tables import METADATA

PERSONAL = {
    "text": "text",
    "refusal": "move",
    "seat": "account",
    "held": "account",
    "listed": "account",
    "deal_group": "terms",
    "series_entrant": "external_id",
    "platform_connection": "participants",
    "platform_link": "participants begun log",
    "request": "body",
    "ticket": "caller",
}
# Names that an organisation chose for its own things, and what it says of an erasure.
CHOSEN = {
    "match": "external_id",
    "deal_group": "external_id",
    "feed": "external_id",
    "result": "external_id",
    "batch": "external_id",
    "batch_match": "external_id",
    "series": "external_id",
    "command": "key",
    "archive": "log",  # with the keys of its commands
    "request": "key",
    "org": "id name",
    "api_key": "name",
    "issuer": "issuer audience jwks_uri jwks account_prefix",
    "webhook": "name url external_id_prefix",
    "platform_connection": "name address tournament",
    "platform_link": "target",
    "delivery": "body",
    "erasure": "reason",
    "erased_account": "reason",
}
# Ids, words of our own, digests, salts, keys, what is encrypted, states, results, the log.
IMPERSONAL = {
    "match": "org game data_digest head status result",
    "event": "kind body salt facets hash",
    "text": "field salt",
    "command": "request_hash",
    "seat": "holder",
    "held": "holder",
    "snapshot": "fingerprint state",
    "refusal": "link evidence salt",
    "archive": "hashes",
    "erasure": "field holder",
    "secret": "ciphertext key_id",
    "deal_group": "org game state ended_by",
    "game_data": "digest game tables",
    "api_key": "id org prefix hash scopes",
    "token": "hash kind arbiter",
    "request": "org route request_hash headers",
    "erased_account": "org account",
    "issuer": "id org",
    "ticket": "hash path",
    "feed": "org before head status statement",
    "feed_state": "holder origin",
    "consumer": "name",
    "statement": "subject kind leaf signature",
    "tile": "hashes root",
    "checkpoint": "origin root note",
    "signing_key": "purpose public ciphertext key_id",
    "result": "org game body",
    "batch": "org terms",
    "batch_match": "org",
    "series": "org terms state tally",
    "series_entrant": "hash",
    "series_match": "seating",
    "webhook": "id org types games signatures secret previous disabled",
    "delivery": "webhook_id org message_id type state log",
    "platform_connection": "id org platform credentials disabled",
    "platform_link": "connection_id org state wanted",
}


def named(columns: dict[str, str]) -> set[tuple[str, str]]:
    """Table and column of each."""
    return {(table, column) for table, names in columns.items() for column in names.split()}


def with_words() -> set[tuple[str, str]]:
    """Every column of the database that could hold a name."""
    return {(table, column.name) for table, column in _columns() if not _is_a_number(column)}


def stored(connection: Connection) -> dict[tuple[str, str], bytes]:
    """All there is in each column, whatever it holds."""
    return {(name, column.name): _values(connection, column) for name, column in _columns()}


def _values(connection: Connection, column: "Column[object]") -> bytes:
    values = connection.execute(select(column)).scalars()
    return b"\n".join(each if isinstance(each, bytes) else str(each).encode() for each in values)


def _columns() -> Iterator[tuple[str, "Column[object]"]]:
    for table in METADATA.tables.values():
        for column in table.columns:
            yield table.name, column


def _is_a_number(column: "Column[object]") -> bool:
    return isinstance(column.type, Integer | BigInteger | Boolean | Uuid)
