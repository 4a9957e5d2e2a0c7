"""Enumerations of the schema, made from those of the house by name."""

from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

import strawberry

from events import results, types
from events.disputes import Stage
from games.core import game
from projections import differences
from service import callers, deal_groups, group_rows, sandbox, standings
from service.batches import acting
from service.errors import CODES
from service.series import terms


def _made(name: str, values: dict[str, str], description: str | None = None) -> Any:
    made: Any = Enum(name, values)  # type: ignore[misc]
    return strawberry.enum(made, description=description)


def _of(kind: type[Enum], description: str | None = None) -> Any:
    return _made(kind.__name__, {each.name: each.value for each in kind}, description)


if TYPE_CHECKING:
    ActionOutcome: TypeAlias = Any
    By: TypeAlias = Any
    CallerKind: TypeAlias = Any
    Closing: TypeAlias = Any
    DiffKind: TypeAlias = Any
    DisputeStage: TypeAlias = Any
    Ending: TypeAlias = Any
    ResultStatus: TypeAlias = Any
    Scope: TypeAlias = Any
    SeatOutcome: TypeAlias = Any
    SeriesState: TypeAlias = Any
    EndedBy: TypeAlias = Any
    Finish: TypeAlias = Any
    Forced: TypeAlias = Any
    GroupState: TypeAlias = Any
    Mode: TypeAlias = Any
    ProblemCode: TypeAlias = Any
    Start: TypeAlias = Any
    Status: TypeAlias = Any
    TableState: TypeAlias = Any
    Terminal: TypeAlias = Any
else:
    Mode = _of(
        game.Mode,
        "SEALED: all answer, then all shows. OPEN: the first answer is taken at once.",
    )
    ProblemCode = _made(
        "ProblemCode",
        {row.graphql: row.graphql for _, row in sorted(CODES.items())},
        "What was refused; `/problems` explains each.",
    )
    Closing = _of(
        types.Closing,
        "What becomes of a match that runs when its deal group closes: no result, over at once "
        "without scores, or played to its end by the game's fallbacks.",
    )
    ActionOutcome = _made("ActionOutcome", {each.name: each.value for each in acting.Done})
    By = _of(types.By, "Who made a move.")
    CallerKind = _made("CallerKind", {each.value.upper(): each.value for each in callers.Kind})
    DiffKind = _of(differences.DiffKind)
    DisputeStage = _made("DisputeStage", {each.name: each.value for each in Stage})
    Ending = _of(results.Ending, "How a match ended, with a result or without.")
    ResultStatus = _of(results.ResultStatus)
    Scope = _of(callers.Scope, "What a key may do; over REST with a colon, `matches:read`.")
    SeatOutcome = _of(results.SeatOutcome, "By the rank: 1 alone, 1 shared, or another.")
    SeriesState = _of(terms.SeriesState)
    EndedBy = _of(group_rows.EndedBy)
    Finish = _of(standings.Finish)
    Forced = _of(sandbox.Forced, "How a test match can be made to end.")
    GroupState = _of(group_rows.GroupState)
    Start = _of(types.Start)
    Status = _of(types.Status)
    TableState = _of(deal_groups.TableState)
    Terminal = _of(types.Terminal)


@strawberry.enum(description="Whose sight: OWN is yours, FULL is open after the reveal.")
class Perspective(Enum):
    OWN = "own"
    FULL = "full"
