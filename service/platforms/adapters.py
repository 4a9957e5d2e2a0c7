"""Every platform there is an adapter for: how it reports, and what a connection to it needs."""

from collections.abc import Mapping
from typing import Final

import msgspec

from service.platforms import challonge, pods, startgg, toornament
from service.platforms.told import Credentials, Platform, Report

Names = tuple[str, ...]


class Adapter(msgspec.Struct, frozen=True):
    """`credentials` are the sets of fields of which exactly one has to be given.

    Without an `address` there is no usual one, and a connection has to name its own.
    """

    report: Report
    credentials: tuple[Names, ...]
    address: str | None = None
    needs_tournament: bool = False

    def takes(self, given: Credentials) -> bool:
        names = tuple(name for name in Credentials.__struct_fields__ if getattr(given, name))
        return names in self.credentials


ADAPTERS: Final[Mapping[Platform, Adapter]] = {
    Platform.CHALLONGE: Adapter(
        challonge.report,
        (("api_key",), ("access_token",)),
        challonge.ADDRESS,
        needs_tournament=True,
    ),
    Platform.STARTGG: Adapter(startgg.report, (("access_token",),), startgg.ADDRESS),
    Platform.TOORNAMENT: Adapter(
        toornament.report, (("api_key", "client_id", "client_secret"),), toornament.ADDRESS
    ),
    Platform.PODS: Adapter(pods.report, ((), ("access_token",))),
}
