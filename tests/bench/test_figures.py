"""The figures of random matches."""

import pytest

from bench import figures


@pytest.mark.parametrize("slug", ["ambagibus", "ave_cesar"])
def test_figures_are_read_from_any_game(slug: str) -> None:
    found = figures.run(slug, 3, "test")
    assert found == figures.run(slug, 3, "test")
    for seats, each in found.items():
        assert seats > 0
        assert each["decisions"]["least"] <= each["decisions"]["mean"] <= each["decisions"]["most"]
        assert sum(part["mean"] for name, part in each.items() if name.startswith("ended by")) == (
            pytest.approx(1, abs=0.02)
        )
        assert any(name.startswith("draws: ") for name in each)
