"""What is of persons is a parameter of a statement, never a value in it.

Values of statements stay in the cache of statements for long, whatever becomes of the rows.
"""

from collections.abc import Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, TextClause, Update, bindparam, text


def needle(value: str) -> dict[str, bytes]:
    """What a statement with `holds` is executed with, to find a text in JSON as we write it."""
    return {"needle": msgspec.json.encode(value)}


def holds(connection: Connection, *columns: str) -> TextClause:
    """Whether one of the columns holds the needle."""
    form = "instr({0}, :needle) > 0"
    if connection.dialect.name == "postgresql":
        form = "position(CAST(:needle AS bytea) IN {0}) > 0"
    return text(f"({' OR '.join(form.format(each) for each in columns)})")


def written(connection: Connection, rows: Update, fields: Mapping[str, Any]) -> int:
    """How many rows were given these fields."""
    named: dict[str, Any] = {name: bindparam(f"new_{name}") for name in fields}
    given = {f"new_{name}": value for name, value in fields.items()}
    return connection.execute(rows.values(named), given).rowcount
