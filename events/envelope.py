"""What every event has."""

import msgspec

from games.core.moves import snake


class Envelope(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    omit_defaults=True,
    forbid_unknown_fields=True,
    tag=snake,
    tag_field="kind",
):
    """`at` is in milliseconds since 1970, not before that of the event it follows (logs from before
    that was so are not held to it); `asks` are the seats newly asked.
    """

    version: int
    at: int
    asks: tuple[int, ...] = ()
    schema: int = msgspec.field(default_factory=lambda: 1)  # A factory: never left out.
