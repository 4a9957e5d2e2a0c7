"""Lists of parameters come in few lengths and say the same."""

from events.filling import filled_up


def test_lists_of_any_length_make_few_statements() -> None:
    assert {len(filled_up(range(count))) for count in range(1, 600)} == {1, 16, 256, 512, 768}


def test_what_is_filled_up_holds_the_same_values() -> None:
    for count in (1, 2, 16, 17, 300):
        assert set(filled_up(range(count))) == set(range(count))


def test_none_stay_none() -> None:
    assert filled_up(()) == []
