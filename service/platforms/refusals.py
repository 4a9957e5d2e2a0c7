"""Refusals of connections to platforms; each with what it answers with."""

from collections.abc import Mapping
from typing import Final

from service.refusal import Refusal, Row


class ConnectionNotFound(Refusal):
    """No such connection of the caller's organisation."""


class LinkNotFound(Refusal):
    """The connection has no link of this match."""


class NotInSandbox(Refusal):
    """A test key reaches no platform."""


class TooManyConnections(Refusal):
    """The organisation has as many connections as it may."""


class TooManyLinks(Refusal):
    """The connection has as many links as it may."""


class NothingToReport(Refusal):
    """The match has come to nothing that could be told."""


ROWS: Final[Mapping[type[Exception], Row]] = {
    ConnectionNotFound: Row(
        404, "connection-not-found", "No such connection", "There is no such connection of yours."
    ),
    LinkNotFound: Row(
        404, "link-not-found", "No such link", "The connection has no link of this match."
    ),
    NotInSandbox: Row(
        403,
        "not-in-sandbox",
        "Not with a test key",
        "Test matches are told to no platform, so a test key has no connections.",
    ),
    TooManyConnections: Row(
        409,
        "too-many-connections",
        "Too many connections",
        "An organisation has at most 50 connections.",
    ),
    TooManyLinks: Row(
        409, "too-many-links", "Too many links", "A connection has at most 20000 links."
    ),
    NothingToReport: Row(
        409,
        "nothing-to-report",
        "There is nothing to report",
        "The match has no result yet that this connection tells.",
    ),
}
