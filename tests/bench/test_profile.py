"""Samples are counted for the innermost part that is known."""

from collections import Counter

from bench.profile import OTHER, checking, parts_of, table

ROOT = "main (service/cli/__main__.py:5);run (asyncio/runners.py:118)"


def test_a_sample_belongs_to_its_innermost_known_file() -> None:
    found = parts_of(
        [
            f"{ROOT};play_move (service/commands.py:9);flush (events/batching.py:7) 3",
            f"{ROOT};play_move (service/commands.py:9);sign (events/signing.py:1);f (x.py:2) 2",
            f"{ROOT};play_move (service/commands.py:9) 4",
            f"{ROOT} 1",
        ]
    )
    assert found == {
        "group commit and database": 3,
        "signed receipts": 2,
        "routes and commands": 4,
        OTHER: 1,
    }


def test_parts_are_told_with_the_largest_first_and_add_up() -> None:
    lines = table(Counter({"small": 1, "large": 3}), 400).splitlines()
    assert lines[2:] == ["| large | 75% | 300 |", "| small | 25% | 100 |", "| all | 100% | 400 |"]


def test_checking_a_log_is_sampled_by_processor_time() -> None:
    assert "| rules of the game |" in checking("ambition_tricks", 0.3)
