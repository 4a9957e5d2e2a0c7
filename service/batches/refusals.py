"""Refusals of batches; each with what it answers with."""

from collections.abc import Mapping
from typing import Final

from service.refusal import Refusal, Row


class BatchNotFound(Refusal):
    """No such batch of the caller's organisation."""


class ExternalIdTaken(Refusal):
    """Ids of the organisation's own that something else has; the faults say which."""


ROWS: Final[Mapping[type[Exception], Row]] = {
    BatchNotFound: Row(404, "batch-not-found", "No such batch", "There is no such batch of yours."),
    ExternalIdTaken: Row(
        409,
        "external-id-taken",
        "An external id is taken",
        "Something else of yours has an external id that `errors` names. Nothing was made.",
    ),
}
