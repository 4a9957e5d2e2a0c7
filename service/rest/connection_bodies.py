"""Bodies of requests about connections to platforms."""

from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, UnsetType

from service.platforms.told import Credentials, Platform
from service.rest.inputs import Body, Name

Secret = Annotated[
    str,
    Meta(
        max_length=4000, pattern=r"^[!-~]*\Z", description="visible ASCII characters without spaces"
    ),
]
Address = Annotated[str, Meta(max_length=2000)]
Tournament = Annotated[str, Meta(max_length=200)]
Place = Annotated[str, Meta(min_length=1, max_length=200)]
Participants = Annotated[dict[Name, Place], Meta(max_length=2000)]
BySeat = Annotated[tuple[Place, ...], Meta(max_length=64)]


class CredentialsBody(Body, frozen=True):
    """Which of them are needed depends on the platform."""

    api_key: Secret = ""
    access_token: Secret = ""
    client_id: Secret = ""
    client_secret: Secret = ""

    @property
    def known(self) -> Credentials:
        return Credentials(**msgspec.structs.asdict(self))


class ConnectionBody(Body, frozen=True):
    """No `address` is the platform's own."""

    platform: Platform
    credentials: CredentialsBody = CredentialsBody()
    name: Name = "connection"
    address: Address = ""
    tournament: Tournament = ""
    provisional: bool = False
    participants: Participants = msgspec.field(default_factory=dict)
    enabled: bool = True


class ConnectionChangeBody(Body, frozen=True):
    """What is left out stays as it is; `credentials` and `participants` are replaced as a whole."""

    credentials: CredentialsBody | UnsetType = UNSET
    name: Name | UnsetType = UNSET
    address: Address | UnsetType = UNSET
    tournament: Tournament | UnsetType = UNSET
    provisional: bool | UnsetType = UNSET
    participants: Participants | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET


class LinkBody(Body, frozen=True):
    """`target` is the platform's id of its match, set or table.

    `participants` are its ids of the seats, in order; without them they are found by the external
    ids of the seats among those of the connection.
    """

    target: Place
    participants: BySeat = ()


CONNECTION: Final = msgspec.json.Decoder(ConnectionBody)
CONNECTION_CHANGE: Final = msgspec.json.Decoder(ConnectionChangeBody)
LINK: Final = msgspec.json.Decoder(LinkBody)
