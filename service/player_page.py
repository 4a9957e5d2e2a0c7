"""Links: a token, and the organisation's page that takes it."""

from urllib.parse import urlencode

import msgspec

from service.parts import Parts


class Link(msgspec.Struct, frozen=True):
    """`url` is the player page with the token behind a `#`, None where no page is set."""

    token: str
    url: str | None


def page_link(parts: Parts, token: str, **about: str | int) -> Link:
    """A token on the player page, with what it is for."""
    page = parts.settings.player_page
    url = None if page is None else f"{page}#{urlencode({**about, 'token': token})}"
    return Link(token, url)


def link_of_seat(parts: Parts, token: str, match_id: str, seat: int) -> Link:
    return page_link(parts, token, match=match_id, seat=seat)


def link_of_watcher(parts: Parts, token: str, match_id: str) -> Link:
    return page_link(parts, token, match=match_id)


def link_of_arbiter(parts: Parts, token: str, match_id: str) -> Link:
    return page_link(parts, token, match=match_id, arbiter=1)
