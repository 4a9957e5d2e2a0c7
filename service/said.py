"""What every body of a request is."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta

NAME_LENGTH: Final = 200
Name = Annotated[str, Meta(min_length=1, max_length=NAME_LENGTH)]
LONGEST_AGO: Final = 30 * 86_400  # seconds
Ago = Annotated[int, Meta(ge=0, le=LONGEST_AGO)]


class Body(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a request may say and nothing else."""
