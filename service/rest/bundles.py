"""A match as one file."""

from hashlib import sha256
from typing import Final

from events.bundle import perspective_of, viewer_in
from events.notes import proof_in
from events.refused import line
from games.core.game import Viewer
from service import bundling
from service.bundling import Choice
from service.errors import Fault, ParameterInvalid
from service.http import Answer, Header, Request, is_known, tagged
from service.looking import Wish
from service.parts import Parts
from service.rest.events import MOST
from service.rest.inputs import account_of, caller_of, match_id_of

ZIP: Final = b"application/zip"
FORM: Final = 2  # of what an ETag stands for
_PERSPECTIVE: Final = "perspective"
_OWN: Final[tuple[Header, ...]] = ((b"cache-control", b"private, no-cache"),)


async def get_bundle(parts: Parts, request: Request) -> Answer:
    caller = await caller_of(parts, request, _PERSPECTIVE, "at", "account")
    at = None if request.query("at") is None else request.whole("at", 0, 1, MOST)
    wish = Wish(_viewer(request), at, account_of(request))
    choice = await bundling.chosen(parts, caller, match_id_of(request), wish)
    tag = _tag(choice)
    if is_known(request, tag):
        return tagged(request, tag, b"", ZIP, _OWN)
    return tagged(request, tag, await bundling.made(parts, choice), ZIP, (*_OWN, _name(choice)))


def _viewer(request: Request) -> Viewer:
    """Raises: ParameterInvalid."""
    found = viewer_in(request.query(_PERSPECTIVE) or "public")
    if found is None:
        reason = "has to be full, public or seat: and a number"
        raise ParameterInvalid(Fault(_PERSPECTIVE, "unknown-value", reason))
    return found


def _tag(choice: Choice) -> str:
    """Of public values alone, but an arbiter's. The proof comes later than the last event."""
    viewer = perspective_of(choice.viewer).replace(":", "")
    proved = f"{proof_in(choice.proof).index}" if choice.proof else "no"
    current, newest = choice.current.version, choice.newest
    tag = f"{FORM}.{current}.{newest}.{viewer}.{proved}.{len(choice.statements)}"
    # Refusals come, and what was refused is erased, without an event.
    kept = b"\n".join(map(line, choice.refusals))
    return f"{tag}.{sha256(kept).hexdigest()[:32]}" if kept else tag


def _name(choice: Choice) -> Header:
    viewer = perspective_of(choice.viewer).replace(":", "-")
    name = f"{choice.current.match_id}.{viewer}.zip"
    return (b"content-disposition", f'attachment; filename="{name}"'.encode())
