"""Event 1 has whole options, with what a game fills in; logs from before still fold and verify."""

from dataclasses import replace

import msgspec
import pytest

from events.canonical import decoded, raw
from events.match import fold, options_of
from events.verify import verify_log
from games import registry
from games.core.game import AnyGame, OptionsRefused, as_given
from tests.events.scripted import Table

NAMED = {"ambagibus": "ambagibus-recon-1", "ave_cesar": "ave_cesar_reconstructed@1.0.0"}


@pytest.mark.parametrize("game", registry.games(), ids=lambda game: game.slug)
def test_event_1_says_what_is_played_with_and_what_of_it_is_reconstructed(game: AnyGame) -> None:
    options, seats = game.trials[0]
    at = Table(game, seats, options, is_seated=False)
    event = decoded(at.records[0].body)
    assert event["options"].get("deck") == NAMED.get(game.slug)
    assert event["data_digest"] == game.data_digest
    whole = options_of(at.current)
    assert game.complete(whole) == whole
    assert game.reconstructed(whole) == (game.slug in NAMED)


@pytest.mark.parametrize("slug", NAMED)
def test_a_log_that_does_not_name_its_deck_folds_and_is_sound(slug: str) -> None:
    game = registry.game(slug)
    options, seats = game.trials[0]
    old = Table(replace(game, complete=as_given), seats, options)
    assert old.current.created.options == raw(options)
    assert b'"deck":""' in bytes(old.current.created.options)
    assert verify_log(old.records).is_sound
    folded = fold(old.records)
    assert folded is not None
    assert folded.state == old.current.state


@pytest.mark.parametrize("slug", NAMED)
def test_a_deck_that_is_not_in_use_is_refused(slug: str) -> None:
    game = registry.game(slug)
    options, seats = game.trials[0]
    wanted = msgspec.structs.replace(options, deck="another@1")
    with pytest.raises(OptionsRefused) as refused:
        Table(game, seats, wanted)
    assert refused.value.pointer == "/deck"
