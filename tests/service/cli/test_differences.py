"""What changed between two positions, leaf by leaf."""

from projections.differences import Changes, changes, facts


def test_leaves_have_paths() -> None:
    value = {"a": 1, "seats": [{"hand": [1, 2]}, {"hand": None}], "none": [], "empty": {}}
    assert facts(value) == {
        "a": 1,
        "seats[0].hand": [1, 2],
        "seats[1].hand": None,
        "none": [],
        "empty": {},
    }


def test_what_is_null_is_not_gone() -> None:
    assert changes({"a": 1, "b": 2}, {"a": None}) == Changes({"a": None}, ("b",))


def test_the_first_position_is_all_new() -> None:
    assert changes(None, {"a": None}) == Changes({"a": None}, ())
    assert changes({"a": 1}, None) == Changes({}, ("a",))
