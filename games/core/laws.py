"""The conformance laws, and `check`, which holds random matches of a game against all of them.

Every law is a plain function with a docstring that returns what is wrong, or None:
laws on states `(game, seats, state, rng)`, on steps `(game, seats, step, rng)`, on whole matches
`(game, seats, steps)`. A broken law comes with the seed that finds it again.
"""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from hashlib import sha256
from importlib import import_module
from itertools import count, islice
from random import Random
from typing import Any

import msgspec

from games.core.game import CHANCE, AnyGame, OptionsRefused, Over
from games.core.moves import wire_offer
from games.core.secrecy import (
    fallbacks_hide,
    follow,
    imagined_worlds_look_the_same,
    redact_only_blanks,
    resample_keeps_asked,
    resample_keeps_offers,
    resample_keeps_view,
    reveals_are_true,
    silent_moves_show_nothing,
    views_never_fail,
)
from games.core.soundness import (
    all_offers,
    apply_is_pure,
    asides_end_nothing,
    encoded,
    encoding_is_exact,
    fallbacks_are_legal,
    invariants_hold,
    listed_moves_are_distinct,
    mutants_are_refused,
    offered_moves_apply,
    sealed_answers_commute,
    seats_out_stay_out,
    states_are_plain,
    texts_change_nothing,
    turns_are_whole,
)
from games.core.walk import Step, random_match, seeded, viewers

STATE_LAWS = (
    views_never_fail,
    turns_are_whole,
    invariants_hold,
    states_are_plain,
    encoding_is_exact,
    offered_moves_apply,
    fallbacks_are_legal,
    resample_keeps_view,
    resample_keeps_offers,
    resample_keeps_asked,
    fallbacks_hide,
    asides_end_nothing,
)
COSTLY_STATE_LAWS = (  # held against a sample of the states
    mutants_are_refused,
    listed_moves_are_distinct,
    texts_change_nothing,
    sealed_answers_commute,
)
STEP_LAWS = (apply_is_pure, redact_only_blanks, silent_moves_show_nothing, seats_out_stay_out)
COSTLY_SHARE = 0.2
FOLLOWED_SHARE = 0.05  # of the states, those from which two worlds are followed in step


class LawBroken(Exception):
    """A game breaks a law. `seed` and `match` find it again: `check_match(game, seed, match)`."""

    def __init__(self, law: str, detail: str, seed: str = "", match: int = 0) -> None:
        super().__init__(f"{law}: {detail} (seed {seed!r}, match {match})")
        self.law = law
        self.detail = detail
        self.seed = seed
        self.match = match


class Report(msgspec.Struct):
    """What was held against the laws. `checks` counts by law; `failure` is the first."""

    game: str
    seed: str
    matches: int = 0
    steps: int = 0
    unended: int = 0  # matches of a game without a bound that were cut
    followed_steps: int = 0  # steps played alike in two worlds
    dropped: int = 0  # worlds left because nothing in the other looked the same
    parted: Counter[str] = msgspec.field(default_factory=Counter)  # by type of move, see Followed
    checks: Counter[str] = msgspec.field(default_factory=Counter)
    failure: LawBroken | None = None


def check(
    game: AnyGame,
    seed: str,
    matches: int,
    progress: Callable[[Report], None] | None = None,
    source: str | None = None,
) -> Report:
    """Plays `matches` random matches, the trials in turn, and holds every step against the laws.

    Stops at the first broken law. `source` is where another process finds the game,
    "package:GAME"; it is found by itself if the game is the GAME of a package.
    """
    report = Report(game.slug, seed)
    try:
        if not game.trials:
            raise LawBroken("trials_exist", "no trials to play", seed)
        source = source or _source(game)
        if source is not None:
            _uphold(report, same_fold_elsewhere, game, source, seed)
        for number in range(matches):
            check_match(game, seed, number, report)
            if progress is not None:
                progress(report)
    except LawBroken as broken:
        report.failure = broken
    return report


def check_match(game: AnyGame, seed: str, number: int, report: Report | None = None) -> Report:
    """Plays one match of a seed. Raises: LawBroken."""
    report = report or Report(game.slug, seed)
    report.matches = number
    options, seats = game.trials[number % len(game.trials)]
    rng = seeded(f"{seed}/{number}/laws")
    _uphold(report, options_are_exact, game, options, seats)
    _uphold(report, wrong_seats_are_refused, game, options)
    play = random_match(game, options, seats, seeded(f"{seed}/{number}"))
    steps: list[Step] = []
    last = game.new(options, seats)
    _check_state(report, game, options, seats, last, rng)
    for known in count():
        _uphold(report, play_goes_on, play, steps)
        if len(steps) == known:
            break
        last = steps[-1].after
        for law in STEP_LAWS:
            _uphold(report, law, game, seats, steps[-1], rng)
        _check_state(report, game, options, seats, last, rng)
    _uphold(report, ends_within_bound, game, options, seats, steps)
    _uphold(report, labels_are_unique, game, seats, steps)
    _uphold(report, reveals_are_true, game, seats, steps)
    report.matches = number + 1
    report.steps += len(steps)
    report.unended += not isinstance(game.turn(last), Over)
    return report


def options_are_exact(game: AnyGame, options: Any, seats: int) -> str | None:
    """Options survive JSON, and the same options open the same match."""
    if msgspec.json.decode(encoded(options), type=game.options) != options:
        return f"{options} does not survive JSON"
    whole = game.complete(options)
    if type(whole) is not game.options or game.complete(whole) != whole:
        return f"{options} are not completed once and for all"
    if encoded(game.new(options, seats)) != encoded(game.new(options, seats)):
        return "the same options open two matches"
    return None if seats in game.seats else f"{seats} is no seat count of the game"


def wrong_seats_are_refused(game: AnyGame, options: Any) -> str | None:
    """`new` refuses a seat count that the game does not name; all options have defaults."""
    for seats in (0, max(game.seats) + 1):
        for chosen in (options, game.options()):
            try:
                game.new(chosen, seats)
            except OptionsRefused:
                continue
            return f"{seats} seats are not refused"
    return None


def play_goes_on(play: Iterator[Step], steps: list[Step]) -> str | None:
    """Offered moves and draws apply until the match is over (never longer than it may last)."""
    steps.extend(islice(play, 1))
    return None


def ends_within_bound(game: AnyGame, options: Any, seats: int, steps: list[Step]) -> str | None:
    """A match has no more moves than `bound` says; draws and asides are not counted."""
    bound = game.bound(options, seats)
    plies = sum(step.seat != CHANCE and not step.is_aside for step in steps)
    return f"{plies} moves, bound {bound}" if bound is not None and plies > bound else None


def labels_are_unique(game: AnyGame, seats: int, steps: list[Step]) -> str | None:
    """No draw of a line of play has the label of an earlier one."""
    labels = Counter(step.label for step in steps if step.seat == CHANCE)
    doubled = [label for label, times in labels.items() if times > 1]
    return f"labels twice: {doubled}" if doubled else None


def same_fold_elsewhere(game: AnyGame, source: str, seed: str) -> str | None:
    """A process with another order of hashes plays the same match of a seed."""
    for number in range(min(2, len(game.trials))):
        answers = {_played_elsewhere(source, seed, number, hash_seed) for hash_seed in ("1", "2")}
        if answers != {play_digest(game, seed, number)}:
            return f"match {number} folds differently under another PYTHONHASHSEED"
    return None


def play_digest(game: AnyGame, seed: str, number: int) -> str:
    """A digest of everything in the match `number` of a seed: states, views, offers, moves."""
    options, seats = game.trials[number % len(game.trials)]
    total = sha256()
    for step in islice(random_match(game, options, seats, seeded(f"{seed}/{number}")), 300):
        offers = [[wire_offer(each) for each in own] for own in all_offers(game.turn(step.before))]
        views = [game.view(step.after, viewer) for viewer in viewers(seats)]
        total.update(encoded([step.move, step.after, views, offers]))
    return total.hexdigest()


def print_play_digest(source: str, seed: str, number: int) -> None:
    module, name = source.split(":")
    print(play_digest(getattr(import_module(module), name), seed, number))


def _played_elsewhere(source: str, seed: str, number: int, hash_seed: str) -> str:
    code = f"from {__name__} import *; print_play_digest({source!r}, {seed!r}, {number})"
    environment = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(  # noqa: S603 - this interpreter and a line written above
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or done.stderr.strip()[-200:]


def _source(game: AnyGame) -> str | None:
    """Where a game is found that is the GAME of the package its state comes from."""
    parts = game.state.__module__.split(".")
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        if getattr(sys.modules.get(module), "GAME", None) is game:
            return f"{module}:GAME"
    return None


def _check_state(
    report: Report, game: AnyGame, options: Any, seats: int, state: Any, rng: Random
) -> None:
    for law in STATE_LAWS:
        _uphold(report, law, game, seats, state, rng)
    if rng.random() < COSTLY_SHARE:
        for law in COSTLY_STATE_LAWS:
            _uphold(report, law, game, seats, state, rng)
        _uphold(report, imagined_worlds_look_the_same, game, options, seats, state, rng)
    if rng.random() < FOLLOWED_SHARE:
        _uphold(report, resample_keeps_history, game, seats, state, rng, report)


def resample_keeps_history(
    game: AnyGame, seats: int, state: Any, rng: Random, report: Report | None = None
) -> str | None:
    """Two worlds a viewer cannot tell apart stay so through steps that look the same to it.

    Excepted are moves that declare `discloses`.
    """
    followed = follow(game, seats, state, rng)
    if report is not None:
        report.followed_steps += followed.steps
        report.dropped += followed.is_dropped
        report.parted.update(followed.parted)
    return followed.wrong


def _uphold(report: Report, law: Callable[..., str | None], *arguments: Any) -> None:
    """Raises: LawBroken, also for whatever else a law's calls into the game raise."""
    report.checks[law.__name__] += 1
    try:
        wrong = law(*arguments)
    except Exception as error:
        raise LawBroken(law.__name__, f"raised {error!r}", report.seed, report.matches) from error
    if wrong is not None:
        raise LawBroken(law.__name__, wrong, report.seed, report.matches)
