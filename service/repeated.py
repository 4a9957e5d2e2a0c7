"""Members of a JSON object that are given twice: nobody can know which of them is meant."""

import json
from typing import Any, Final

import msgspec

from service.errors import Malformed
from service.refusal import Fault


class _Repeated(Exception):
    pass


def refuse_repeated(data: bytes) -> None:
    """Of JSON that can be read. Raises: Malformed where an object has a member twice.

    Read and written again, it has lost a colon for every member that was given before. The others
    are still there: only what is spelt `\\u003a` could have become one.
    """
    again = _ENCODER.encode(_DECODER.decode(data))
    if again.count(b":") == data.count(b":") and b"\\u003" not in data:
        return
    try:
        _EXACT.decode(data.decode())
    except _Repeated as repeated:
        name = str(repeated)[:64]
        raise Malformed(Fault(name, "repeated", "is given more than once")) from None


def _once(members: list[tuple[str, Any]]) -> None:
    seen = set()
    for name, _ in members:
        if name in seen:
            raise _Repeated(name)
        seen.add(name)


_DECODER: Final = msgspec.json.Decoder()
_ENCODER: Final = msgspec.json.Encoder()
# Numbers of any length are passed over.
_EXACT: Final = json.JSONDecoder(object_pairs_hook=_once, parse_int=len, parse_float=len)
