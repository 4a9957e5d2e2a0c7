"""Links over GraphQL."""

import strawberry

from service import player_page


@strawberry.type(description="A token, and the page that takes it; null where none is set.")
class Link:
    token: str
    url: str | None


def link_or_none(made: player_page.Link | None) -> Link | None:
    return None if made is None else Link(token=made.token, url=made.url)
