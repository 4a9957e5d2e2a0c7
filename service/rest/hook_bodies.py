"""Bodies of requests about webhooks."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from service.rest.bodies import Uri
from service.rest.inputs import Body, Name
from service.webhooks.rows import USUAL, EventType, Scheme

Types = Annotated[tuple[EventType, ...], Meta(min_length=1, max_length=32)]
Slug = Annotated[
    str,
    Meta(
        pattern=r"^[a-z][a-z0-9_]{0,62}\Z",
        description="lower-case letters, digits and underscores, a letter first, 63 at most",
    ),
]
Games = Annotated[tuple[Slug, ...], Meta(max_length=100)]
Prefix = Annotated[str, Meta(max_length=200)]
Signatures = Annotated[tuple[Scheme, ...], Meta(min_length=1, max_length=2)]


class WebhookBody(Body, frozen=True):
    """Where to, and of what. No `games` are all of them."""

    url: Uri
    name: Name = "webhook"
    types: Types = USUAL
    games: Games = ()
    external_id_prefix: Prefix = ""
    signatures: Signatures = (Scheme.HMAC,)
    enabled: bool = True


class WebhookChangeBody(Body, frozen=True):
    """What is left out stays as it is."""

    url: Uri | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    types: Types | UnsetType = UNSET
    games: Games | UnsetType = UNSET
    external_id_prefix: Prefix | UnsetType = UNSET
    signatures: Signatures | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET


WEBHOOK: Final = msgspec.json.Decoder(WebhookBody)
WEBHOOK_CHANGE: Final = msgspec.json.Decoder(WebhookChangeBody)
