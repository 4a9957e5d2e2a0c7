"""Bodies of requests about batches. A match in one says what a match by itself may say."""

from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from service.batches.points import ByOutcome, Scoring
from service.batches.rows import Watching
from service.match_bodies import MatchBody
from service.said import Ago, Body, Name

MOST_MATCHES: Final = 500
MOST_ARBITERS: Final = 8  # of a match
LARGEST: Final = 4 * 1024 * 1024  # bytes
_SEATED: Final = ("seats", "accounts", "external_id")  # said by a batch in another way


class SeatBody(Body, frozen=True):
    """`external_id` is whom the seat stands for: an account of the organisation's own."""

    external_id: Name | None = None


class ArbiterBody(Body, frozen=True):
    """`external_id` is an account of the organisation's own that plays no part in the match."""

    external_id: Name


Arbiters: TypeAlias = Annotated[tuple[ArbiterBody, ...], Meta(max_length=MOST_ARBITERS)]


class WatchBody(Body, frozen=True):
    """How far they stay behind who watch by a link of the batch."""

    delay_versions: Annotated[int, Meta(ge=0, le=1_000_000)] = 0
    delay_seconds: Ago = 0

    @property
    def wanted(self) -> Watching:
        return Watching(self.delay_versions, self.delay_seconds)


# So whatever a match can be created with, one in a batch can be as well.
MatchTerms: Any = msgspec.defstruct(
    "MatchTerms",
    [
        (field.name, field.type | UnsetType, UNSET)
        for field in msgspec.structs.fields(MatchBody)
        if field.name not in _SEATED
    ],
    bases=(Body,),
    frozen=True,
    kw_only=True,
    namespace={"__doc__": "What a match is created with, besides who sits where."},
)
BatchDefaults: Any = msgspec.defstruct(
    "BatchDefaults",
    [("arbiters", Arbiters | UnsetType, UNSET)],
    bases=(MatchTerms,),
    frozen=True,
    kw_only=True,
    namespace={"__doc__": "What the matches of a batch have in common."},
)
BatchMatchBody: Any = msgspec.defstruct(
    "BatchMatchBody",
    [
        ("seats", Annotated[tuple[SeatBody, ...], Meta(min_length=1, max_length=64)]),
        ("external_id", Name | None, None),
    ],
    bases=(BatchDefaults,),
    frozen=True,
    kw_only=True,
    namespace={"__doc__": "A match of a batch; what it leaves out is as the defaults have it."},
)

Given = dict[str, Any]  # looked at field by field, so that all faults are found


class BatchBody(Body, frozen=True):
    """`matches` hold what `defaults` do not say, or say otherwise."""

    matches: Annotated[tuple[Given, ...], Meta(min_length=1, max_length=MOST_MATCHES)]
    defaults: Given = msgspec.field(default_factory=dict)
    external_id: Name | None = None
    spectators: WatchBody | None = None
    scoring: Scoring = msgspec.field(default_factory=ByOutcome)
    dry_run: bool = False


BATCH: Final = msgspec.json.Decoder(BatchBody)
