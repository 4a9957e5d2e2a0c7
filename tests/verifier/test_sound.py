"""What was played by the rules is sound in both verifiers, for every viewer."""

from pathlib import Path

import pytest

from events.bundle import perspective_of
from events.notes import verifier_key
from events.verify_bundle import verify_bundle
from games.core.game import ALL, SPECTATOR
from service.cli.verifying import examined
from tests.events.bundled import KEY, ORIGIN, TRUSTED, bundled
from tests.events.disputed import ruled
from tests.events.test_overdue import ENDING, running
from tests.verifier.matches import MATCHES, played, viewers
from tests.verifier.node import needs_node, report, said

pytestmark = needs_node

KEYS = verifier_key(ORIGIN, KEY.public.public)


@pytest.fixture(scope="module")
def bundles() -> dict[tuple[str, str], bytes]:
    return {
        (name, perspective_of(viewer)): bundled(played(name), viewer)
        for name in MATCHES
        for viewer in viewers(played(name))
    }


def test_every_bundle_is_sound_in_both_verifiers(bundles: dict[tuple[str, str], bytes]) -> None:
    found = dict(zip(bundles, said([*bundles.values()], KEYS), strict=True))
    wrong = {each: verdict for each, verdict in found.items() if not verdict.ok}
    assert not wrong
    for (name, sight), data in bundles.items():
        own = verify_bundle(data, TRUSTED)
        assert own.fault is None, (name, sight, own)
        checked = set(found[name, sight].checked)
        assert {"chain", "facets", "following", "options", "proof", "manifest"} <= checked
        if sight == "full" and played(name).current.is_revealed:
            assert "seed" in checked
            assert ("draws" in checked) == (b'"chance_drawn"' in data)
            assert ("answers" in checked) == (b'"sealed"' in data)
            assert ("signatures" in checked) == (b'"signed"' in data)
            assert ("entropy" in checked) == (b'"entropy_opened"' in data)


def test_it_says_what_needs_the_rules() -> None:
    full, public = (bundled(played("redrawn"), each) for each in (ALL, 0))
    for verdict in said([full, public], KEYS):
        (limit,) = verdict.unchecked
        assert "what other viewers were shown" in limit
        assert "the outcome" in limit


@pytest.mark.parametrize("name", ENDING)
def test_both_miss_the_reveal_of_a_match_that_a_ruling_ended(name: str, tmp_path: Path) -> None:
    at, path = running(), tmp_path / "public.zip"
    ruled(at, ENDING[name])
    del at.sealed[-1], at.steps[-1]
    assert not at.current.is_revealed
    path.write_bytes(bundled(at, SPECTATOR))
    wanted = [(f"event {at.current.version + 1}", "overdue")]
    _, made = report(path)
    assert [(each["place"], each["code"]) for each in made["files"][0]["faults"]] == wanted
    (own,) = examined([path], None).files
    assert [(each.place, each.code) for each in own.faults] == wanted
