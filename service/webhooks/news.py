"""What a message of a webhook is about."""

import msgspec

from service.webhooks.rows import EventType


class MatchNews(msgspec.Struct, frozen=True, kw_only=True):
    """A match came to `version`, and had this status then. `test`: in a sandbox."""

    match_id: str
    external_id: str | None
    game: str
    deal_group: str | None
    test: bool
    version: int
    status: str


class Message(msgspec.Struct, frozen=True):
    """What happened to a match of an organisation, and when (ms)."""

    type: EventType
    org: str
    at: int
    news: MatchNews
