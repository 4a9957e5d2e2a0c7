"""How a bot chooses among what it is offered."""

from random import Random

from games.core.moves import Wire
from games.core.shown import sample_shown
from service.cli.bot.door import Door
from service.cli.bot.playing import Asked, Choose


def rng_of(seed: str, asked: Asked) -> Random:
    """The same for the same decision, whenever the bot is started again."""
    return Random(f"{seed}/{asked.seat}/{asked.decision}")  # noqa: S311 - a player's choices


def at_random(seed: str) -> Choose:
    """Every move on offer is as likely; the offers say all there is to know."""

    async def choose(door: Door, asked: Asked) -> Wire:
        return sample_shown(asked.offers, rng_of(seed, asked))

    return choose
