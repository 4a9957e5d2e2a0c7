"""What errors answer with that are of one room each, from all of these rooms."""

from collections.abc import Mapping
from typing import Final

from service import dispute_errors, roles, standing, tournament_errors, unlogged
from service.graphql import faults
from service.platforms import refusals as of_platforms
from service.refusal import Row
from service.webhooks import refusals as of_webhooks

ROWS: Final[Mapping[type[Exception], Row]] = {
    **standing.ROWS,
    **dispute_errors.ROWS,
    **unlogged.ROWS,
    **roles.ROWS,
    **of_webhooks.ROWS,
    **of_platforms.ROWS,
    **tournament_errors.ROWS,
    **faults.ROWS,
}
