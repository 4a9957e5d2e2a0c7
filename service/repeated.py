"""Members of a JSON object that are given twice: nobody can know which of them is meant."""

import json
import re
from typing import Any, Final

from service.errors import Malformed
from service.refusal import Fault

# Nothing is tried twice: what takes time that grows faster than the body would be a door.
_NAME: Final = re.compile(rb'"((?:[^"\\]++|\\.)*+)"\s*+:', re.DOTALL)
_PLAIN: Final = re.compile(rb'"([^"]*+)"\s*+:')


class _Repeated(Exception):
    pass


def refuse_repeated(data: bytes) -> None:
    """Of JSON that can be read. Raises: Malformed where an object has a member twice.

    Hardly any body has a name twice, even in different objects, so few are read once more.
    """
    names = (_NAME if b"\\" in data else _PLAIN).findall(data)
    if len(set(names)) == len(names) and b"\\" not in b"".join(names):
        return
    try:
        _AGAIN.decode(data.decode())
    except _Repeated as repeated:
        name = str(repeated)[:64]
        raise Malformed(Fault(name, "repeated", "is given more than once")) from None


def _once(members: list[tuple[str, Any]]) -> None:
    seen = set()
    for name, _ in members:
        if name in seen:
            raise _Repeated(name)
        seen.add(name)


# Numbers of any length are passed over.
_AGAIN: Final = json.JSONDecoder(object_pairs_hook=_once, parse_int=len, parse_float=len)
