"""Each leak planted on purpose is seen, on the channel where it is."""

from typing import Any

import pytest

from games.core.game import Decision
from tests.secrecy import broken, planning
from tests.secrecy.broken import TRUE, rules
from tests.secrecy.following import Interference, Worlds, follow
from tests.secrecy.moments import Wanted, case, kind_of

MOST = 60  # cases tried for one that shows the leak


def of_kind(*kinds: str) -> Wanted:
    return lambda state: kind_of(TRUE, state) in kinds


def with_deck(state: Any) -> bool:
    return bool(state.deck) and isinstance(TRUE.turn(state), Decision)


async def seen(worlds: Worlds, seed: str, wanted: Wanted = with_deck) -> str:
    """What the harness says of the first case it fails in."""
    for number in range(MOST):
        one = case(TRUE, seed, number, wanted)
        if one is None:
            continue
        try:
            await follow(worlds, one)
        except Interference as interference:
            return str(interference)
    pytest.fail("the leak was not seen")


EVENTS = {"/events", "/graphql"}  # what is told of events is told at both doors


def channels(leak: str) -> set[str]:
    """The channels of that set which the leak was seen on."""
    return {channel for channel in EVENTS if channel in leak}


@pytest.mark.parametrize("name", broken.VIEWS)
async def test_a_view_that_shows(worlds: Worlds, name: str) -> None:
    with rules(view=broken.VIEWS[name]):
        assert "/view" in await seen(worlds, name)


@pytest.mark.parametrize("kind", broken.REDACTED)
async def test_a_step_that_shows(worlds: Worlds, kind: str) -> None:
    with rules(redact=broken.shown_whole(broken.REDACTED[kind])):
        assert EVENTS & channels(await seen(worlds, kind, of_kind(kind)))


async def test_options_that_stand_in_a_hidden_order(worlds: Worlds) -> None:
    with rules(turn=broken.hidden_first):
        assert "/view" in await seen(worlds, "order", of_kind("block", "name_block"))


async def test_a_kind_of_decision_that_hangs_on_the_deck(worlds: Worlds) -> None:
    with rules(turn=broken.hinting_kind):
        assert "_now" in await seen(worlds, "kind")


async def test_a_boundary_that_hangs_on_the_deck(worlds: Worlds) -> None:
    with rules(boundary=broken.hinting_boundary):
        assert "/view" in await seen(worlds, "boundary")


async def test_a_fallback_that_knows(worlds: Worlds, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "RESIGNING", 0.5)
    with rules(fallback=broken.knowing_fallback):
        assert "resign" in await seen(worlds, "fallback", of_kind("block", "choose_live"))


@pytest.mark.parametrize("name", broken.SERVICE)
async def test_a_service_that_tells(
    worlds: Worlds, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant, channel = broken.SERVICE[name]
    plant(monkeypatch)
    assert channel in await seen(worlds, name)


async def test_a_draw_that_shows_what_it_was_made_from(
    worlds: Worlds, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken.offer_digest_shown(monkeypatch)
    assert EVENTS & channels(await seen(worlds, "offer", of_kind("keep", "swap", "redeal")))


async def test_without_a_leak_these_cases_are_silent(worlds: Worlds) -> None:
    """What the tests above see is the leak that they plant."""
    for seed in ("kind", *broken.SERVICE):
        for number in range(2):
            one = case(TRUE, seed, number, with_deck)
            assert one is None or await follow(worlds, one)
