"""What deal groups, batches and series are refused with: rows of the table in service/errors.py."""

from collections.abc import Mapping
from typing import Final

from service.refusal import Refusal, Row


class DealGroupNotFound(Refusal):
    """No such deal group, or not one this caller may see."""


class DealGroupClosed(Refusal):
    """The deal group has come to its end."""


class BatchNotFound(Refusal):
    """No such batch of the caller's organisation."""


class ExternalIdTaken(Refusal):
    """Ids of the organisation's own that something else has; the faults say which."""


class SeriesNotFound(Refusal):
    """No such series of the caller's organisation, or of the link."""


class SeriesOver(Refusal):
    """The series has come to its end."""


ROWS: Final[Mapping[type[Exception], Row]] = {
    DealGroupNotFound: Row(
        404,
        "deal-group-not-found",
        "No such deal group",
        "There is no such deal group that you may see.",
    ),
    DealGroupClosed: Row(
        409,
        "deal-group-closed",
        "The deal group is closed",
        "The closing time of the deal group has come, or it was closed before.",
    ),
    BatchNotFound: Row(404, "batch-not-found", "No such batch", "There is no such batch of yours."),
    ExternalIdTaken: Row(
        409,
        "external-id-taken",
        "An external id is taken",
        "Something else of yours has an external id that `errors` names. Nothing was made.",
    ),
    SeriesNotFound: Row(
        404, "series-not-found", "No such series", "There is no such series that you may see."
    ),
    SeriesOver: Row(
        409, "series-over", "The series is over", "The series was decided, or called off."
    ),
}
