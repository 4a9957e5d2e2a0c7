"""GraphiQL for whoever opens /graphql in a browser."""

from typing import Final

from service.assets import GRAPHIQL, POLICY, is_complete
from service.http import HTML, Answer

_SCRIPTS: Final = (
    "react.production.min.js",
    "react-dom.production.min.js",
    "graphiql.min.js",
    "graphql-ws.min.js",
    "graphiql.js",
)
_STYLES: Final = ("graphiql.min.css", "graphiql.css")


def page() -> Answer:
    """The page, or what to install where it can't be shown."""
    is_there = is_complete(*_SCRIPTS, *_STYLES)
    return Answer(200, (_PAGE if is_there else _MISSING).encode(), HTML, (POLICY,))


def _html(head: str, body: str) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Plyscribe GraphiQL</title>\n{head}</head>\n<body>\n{body}</body>\n</html>\n"
    )


_PAGE: Final = _html(
    "".join(f'<link rel="stylesheet" href="/docs/assets/{name}">\n' for name in _STYLES)
    + '<link rel="icon" href="/docs/assets/favicon-32x32.png">\n',
    '<div id="graphiql"></div>\n'
    + "".join(f'<script src="/docs/assets/{name}"></script>\n' for name in _SCRIPTS),
)
_MISSING: Final = _html(
    "",
    "<h1>GraphiQL is not installed</h1>\n"
    "<p>This is the GraphQL endpoint; it works. The page to try it out with needs the package "
    f"<code>{GRAPHIQL}</code> in version 0.8, whose files are loaded from here and from nowhere "
    f"else: <code>pip install {GRAPHIQL}==0.8</code>.</p>\n",
)
