"""What is asked for again."""

from projections.repeats import Repeats


def test_what_was_asked_before_is_told() -> None:
    repeats = Repeats(64)
    assert not repeats.again(("match", 3, -1))
    assert repeats.again(("match", 3, -1))
    assert repeats.again(("match", 3, -1))
    assert not repeats.again(("match", 4, -1))


def test_only_the_latest_are_remembered() -> None:
    repeats = Repeats(1)
    assert not repeats.again("one")
    assert not repeats.again("another")
    assert not repeats.again("one")
