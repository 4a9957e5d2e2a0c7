"""`plyscribe replay` rebuilds a match from its database alone and never shows more than asked."""

from pathlib import Path

import msgspec
import pytest

from events.decide import OfGroup
from events.store import MatchRow
from events.types import Closing
from games import registry
from games.core.game import ALL, SPECTATOR
from service.cli.rebuilding import Log, Step, steps
from service.cli.replaying import assert_may_look
from service.cli.terminal import CannotDo
from tests.events.scripted import GROUP_ID, MATCH_ID, NOON, Table
from tests.events.test_logs import high_card_disputed
from tests.service.cli.conftest import KEY, SEED, Run, damage

Played = tuple[str, str]


def test_the_steps_of_a_match_are_told_and_checked(run: Run, played: Played) -> None:
    url, match_id = played
    told = run("replay", match_id, "--database-url", url)
    assert told.code == 0
    assert "match created" in told.out
    assert "match revealed" in told.out
    assert "all of it holds" in told.out


def test_the_outcome_and_the_seed_are_told(run: Run, played: Played) -> None:
    url, match_id = played
    out = run("replay", match_id, "--viewer", "all", "--database-url", url).out.splitlines()
    (ended,) = [line for line in out if "match ended" in line]
    (revealed,) = [line for line in out if "match revealed" in line]
    assert '"ranks":' in ended
    assert SEED.hex() in revealed


def test_json_is_a_line_for_each_event_and_a_verdict(run: Run, played: Played) -> None:
    url, match_id = played
    *events, verdict = run("replay", match_id, "--database-url", url, "--json").lines
    assert [each["event"]["version"] for each in events] == list(range(1, len(events) + 1))
    assert verdict["ok"] is True
    assert verdict["version"] == len(events)
    assert verdict["unchecked"] == []


def test_changes_add_up_to_the_position(run: Run, played: Played) -> None:
    url, match_id = played
    *events, _ = run("replay", match_id, "-v", "1", "--database-url", url, "--json").lines
    facts: dict[str, object] = {}
    for each in events[:-1]:
        facts |= each["changes"]
    at = len(events) - 1
    shown, _ = run("replay", match_id, "-v", "1", "--database-url", url, "--at", at, "--json").lines
    assert shown["version"] == at
    for name, value in shown["view"].items():
        if not isinstance(value, list | dict):
            assert facts[name] == value


@pytest.mark.parametrize("viewer", ["0", "1", "all", "spectator"])
def test_every_viewer_can_be_chosen(run: Run, played: Played, viewer: str) -> None:
    url, match_id = played
    told = run("replay", match_id, "--viewer", viewer, "--database-url", url)
    assert told.code == 0, told.err


def test_a_spectator_sees_less_than_all(run: Run, played: Played) -> None:
    url, match_id = played
    public = run("replay", match_id, "--database-url", url).out
    everything = run("replay", match_id, "--viewer", "all", "--database-url", url).out
    assert public != everything
    assert "deck" not in public
    assert "deck" in everything


@pytest.mark.parametrize("viewer", ["0", "all"])
def test_hidden_things_of_an_unrevealed_match_need_the_operator(
    run: Run, running: Played, viewer: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, match_id = running
    monkeypatch.setenv("PLYSCRIBE_SECRET_KEY", KEY)
    refused = run("replay", match_id, "--viewer", viewer, "--database-url", url)
    assert (refused.code, refused.out) == (2, "")
    assert "--operator" in refused.err
    told = run("replay", match_id, "--viewer", viewer, "--database-url", url, "--operator")
    assert told.code == 0


def test_nothing_of_a_running_deal_group_is_shown_but_to_the_operator() -> None:
    group = OfGroup(GROUP_ID, NOON * 2, Closing.CANCEL)
    table = Table(registry.game("ambagibus"), 1, group=group)
    made = tuple(Step(each.before, each.event, each.after) for each in table.steps)
    for viewer in (SPECTATOR, 0, ALL):
        with pytest.raises(CannotDo, match="--operator"):
            assert_may_look(made, viewer, operator=False)
        assert_may_look(made, viewer, operator=True)


@pytest.mark.parametrize(
    ("key", "whole"), [(None, False), (KEY, True), ("00" * 32, False)], ids=["none", "own", "other"]
)
def test_without_the_key_draws_stay_unchecked(
    run: Run,
    running: Played,
    key: str | None,
    whole: bool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    url, match_id = running
    if key is not None:
        monkeypatch.setenv("PLYSCRIBE_SECRET_KEY", key)
    told = run("replay", match_id, "--database-url", url, "--json", "--data-dir", tmp_path)
    assert told.code == 0
    assert (told.lines[-1]["unchecked"] == []) is whole
    assert not (tmp_path / "secret.key").exists()


def test_a_changed_event_is_found(run: Run, played: Played) -> None:
    url, match_id = played
    damage(url, "UPDATE event SET at = at + 1 WHERE version = 5")
    told = run("replay", match_id, "--database-url", url, "--json")
    assert told.code == 1
    assert told.lines[-1]["ok"] is False
    assert "event 5" in told.lines[-1]["faults"][0]


def test_a_cut_log_is_found(run: Run, played: Played) -> None:
    url, match_id = played
    damage(url, "DELETE FROM event WHERE version > 7")
    told = run("replay", match_id, "--database-url", url)
    assert told.code == 1
    assert "wrong:" in told.out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("not-an-id",), "not a match id"),
        (("00000000-0000-0000-0000-000000000000",), "there is no match"),
    ],
)
def test_a_match_that_is_not_there_is_one_line(
    run: Run, played: Played, words: tuple[str, ...], said: str
) -> None:
    refused = run("replay", *words, "--database-url", played[0])
    assert refused.code == 2
    assert said in refused.err
    assert len(refused.err.splitlines()) == 1


@pytest.mark.parametrize("extra", [("--viewer", "2"), ("--viewer", "me"), ("--at", "999")])
def test_viewers_and_versions_that_do_not_exist(
    run: Run, played: Played, extra: tuple[str, ...]
) -> None:
    url, match_id = played
    assert run("replay", match_id, "--database-url", url, *extra).code == 2


def test_a_database_that_is_not_there(run: Run) -> None:
    refused = run("replay", "00000000-0000-0000-0000-000000000000")
    assert refused.code == 2
    assert len(refused.err.splitlines()) == 1


def test_a_verdict_is_json(run: Run, played: Played) -> None:
    url, match_id = played
    last = run("replay", match_id, "--database-url", url, "--at", 1, "--json").lines[-1]
    assert msgspec.json.encode(last)
    assert last["match_id"] == match_id


def test_a_rewound_log_is_rebuilt_step_by_step() -> None:
    at = high_card_disputed()
    row = MatchRow(**{**dict.fromkeys(MatchRow.__struct_fields__), "match_id": MATCH_ID})  # type: ignore[arg-type]
    made = steps(Log(row, at.records, tuple(at.texts), None))
    assert [step.event for step in made] == list(at.events)
    assert made[-1].after == at.current
    assert [step.after.version for step in made] == list(range(1, len(at.steps) + 1))
