"""The sandbox of an organisation: a world of its own for rehearsals, whose matches are marked.

To everything that is stored a sandbox is one more organisation, so whatever keeps organisations
apart keeps the sandbox apart. Its id is that of the organisation with `/test` behind it, which no
id of an organisation has.
"""

from typing import Final

_MARK: Final = "/test"


def is_test(org: str) -> bool:
    """Whether it is a sandbox."""
    return org.endswith(_MARK)


def sandbox_of(org: str) -> str:
    """The sandbox of an organisation; that of a sandbox is itself."""
    return org if is_test(org) else org + _MARK


def live_org(org: str) -> str:
    """The organisation whose sandbox it is, or itself."""
    return org.removesuffix(_MARK)
