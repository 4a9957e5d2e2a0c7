"""Refusals for who the caller is, what it may do, and how often; each with what it answers with."""

from collections.abc import Mapping
from typing import Final

from service.limits import Taken
from service.refusal import Fault, Refusal, Row


class NoCredentials(Refusal):
    """No token, or one that is unknown, expired or revoked: the caller isn't told which."""


class SeatTokenRequired(Refusal):
    """Only a seat's token plays or sees a seat's view."""


class ApiKeyRequired(Refusal):
    """Only an organisation's key manages matches."""


class ScopeMissing(Refusal):
    """The key lacks a scope, which `errors` names."""

    @classmethod
    def of(cls, scope: str) -> "ScopeMissing":
        return cls(Fault("Authorization", "scope-missing", f"the scope {scope} is needed"))


class SandboxOnly(Refusal):
    """A test key is needed; nothing was looked for."""


class OtherSeat(Refusal):
    """The match is the caller's, the seat is not."""


class SpectatorNotFound(Refusal):
    """The match has no such spectator's token."""


class ArbiterNotFound(Refusal):
    """The match has no such arbiter's token."""


class KeyNotFound(Refusal):
    """No such key of the caller's organisation."""


class IssuerNotFound(Refusal):
    """No such issuer of the caller's organisation."""


class OrgNotFound(Refusal):
    """No such organisation."""


class OrgExists(Refusal):
    """The id of an organisation is taken."""


class TooManyIssuers(Refusal):
    """The organisation has as many issuers as it may."""


class PreconditionFailed(Refusal):
    """What shall be changed is not any more what the caller saw."""


class PreconditionRequired(Refusal):
    """Configuration is changed under If-Match alone."""


class TooManyRequests(Refusal):
    """A limit is used up."""

    @classmethod
    def until(cls, taken: Taken) -> "TooManyRequests":
        return cls(headers=((b"retry-after", b"%d" % taken.seconds), *taken.headers))


ROWS: Final[Mapping[type[Exception], Row]] = {
    NoCredentials: Row(
        401,
        "unauthorized",
        "A valid token is required",
        "Send `Authorization: Bearer` with a key or a token that is valid here.",
    ),
    SeatTokenRequired: Row(
        403,
        "seat-token-required",
        "A seat token is required",
        "Only whoever holds a seat plays or sees what a seat sees.",
    ),
    ApiKeyRequired: Row(
        403,
        "api-key-required",
        "An API key is required",
        "Only an API key of the organisation may do this.",
    ),
    ScopeMissing: Row(
        403, "scope-missing", "A scope is missing", "The key does not have the scope this needs."
    ),
    SandboxOnly: Row(
        403,
        "sandbox-only",
        "A test key is required",
        "Only a test key may do this, and only to test matches.",
    ),
    OtherSeat: Row(
        403, "other-seat", "Another seat's token", "This token belongs to another seat."
    ),
    SpectatorNotFound: Row(
        404, "spectator-not-found", "No such spectator", "The match has no such spectator."
    ),
    ArbiterNotFound: Row(
        404, "arbiter-not-found", "No such arbiter", "The match has no such arbiter."
    ),
    KeyNotFound: Row(404, "key-not-found", "No such key", "There is no such key of yours."),
    IssuerNotFound: Row(
        404, "issuer-not-found", "No such issuer", "There is no such issuer of yours."
    ),
    OrgNotFound: Row(
        404, "org-not-found", "No such organisation", "There is no such organisation."
    ),
    OrgExists: Row(
        409, "org-exists", "The organisation exists", "There is an organisation of that id."
    ),
    TooManyIssuers: Row(
        409, "too-many-issuers", "Too many issuers", "An organisation has at most 100 issuers."
    ),
    PreconditionFailed: Row(
        412,
        "precondition-failed",
        "It has changed",
        "It is not any more what the ETag in If-Match stands for.",
    ),
    PreconditionRequired: Row(
        428,
        "precondition-required",
        "If-Match is required",
        "Send the ETag of what you mean to change in the header If-Match.",
    ),
    TooManyRequests: Row(
        429,
        "too-many-requests",
        "Too many requests",
        "Wait for as many seconds as the header Retry-After says.",
    ),
}
