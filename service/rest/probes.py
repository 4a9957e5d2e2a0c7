"""Whether a process is well, which each tells, and all that one without doors tells."""

from collections.abc import Mapping
from typing import Final

from service.http import Receive, Scope, Send
from service.parts import Parts
from service.rest import about
from service.rest.endpoint import Endpoint
from service.roles import Misdirected

PROBES: Final = (
    Endpoint("/livez", {"GET": about.get_livez}),
    Endpoint("/startupz", {"GET": about.get_startupz}),
    Endpoint("/readyz", {"GET": about.get_readyz}),
)
_PROBES: Final[Mapping[str, Endpoint]] = {each.route: each for each in PROBES}
_ELSEWHERE: Final = Endpoint("", {}, missing=Misdirected)


class Probes:
    """Of a running service without doors, as an ASGI application for HTTP."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        endpoint = _PROBES.get(scope["path"], _ELSEWHERE)
        await endpoint.serve(self._parts, scope, receive, send, {})
