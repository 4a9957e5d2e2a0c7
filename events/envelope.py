"""What every event has."""

import msgspec

from games.core.moves import snake


class Envelope(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag=snake, tag_field="kind"
):
    """`at` is in milliseconds since 1970 and never ordered by; `asks` are the seats newly asked."""

    version: int
    at: int
    asks: tuple[int, ...] = ()
    schema: int = msgspec.field(default_factory=lambda: 1)  # A factory: never left out.
