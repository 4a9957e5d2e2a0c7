"""How a bot chooses among what it is offered, at the least."""

from random import Random

from games.core.shown import sample_shown
from service.cli.bot.door import Door
from service.cli.bot.playing import Choice, Choose, Question


def rng_of(seed: str, question: Question) -> Random:
    """The same for the same decision, whenever the bot is started again."""
    return Random(f"{seed}/{question.seat}/{question.decision}")  # noqa: S311 - a player's choices


def at_random(seed: str) -> Choose:
    """Every move on offer is as likely; the offers say all there is to know."""

    async def choose(door: Door, question: Question) -> Choice:
        return Choice(sample_shown(question.offers, rng_of(seed, question)), False)

    return choose
