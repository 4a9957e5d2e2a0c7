"""Every byte of a Tournament Report File is where the published format has it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.trf.report import NOTHING, SCORED_AS, Cell, Player, Report, Scoring, TrfRefused
from service.trf.writing import written
from tests.service.trf.reading import read

#        1         2         3         4         5         6         7         8         9         0
RULER = "1234567890" * 12
EXACT = Report(
    name="Spring Cup",
    city="Ghent",
    federation="BEL",
    start="2026/03/07",
    end="2026/03/08",
    kind="Swiss",
    arbiter="Ada Arbiter",
    deputies=("Bob Deputy", "Cyd Deputy"),
    time_control="90 min + 30 s",
    dates=("26/03/07", "", "26/03/08"),
    rounds=5,
    scoring=Scoring(win=30, draw=10, pairing_bye=30),
    encoded_time="5400+30",
    players=(
        Player(
            number=1,
            sex="w",
            title="WGM",
            name="Lovelace, Ada",
            rating=2101,
            federation="ENG",
            fide_id="1503014",
            birth="1815/12/10",
            points=60,
            rank=1,
            cells=(Cell(12, "w", "1"), Cell(0, "-", "U"), NOTHING),
        ),
        Player(number=12, name="Babbage", points=0, rank=2, cells=(Cell(1, "b", "0"),)),
    ),
)
LINES = [
    "012 Spring Cup",
    "022 Ghent",
    "032 BEL",
    "042 2026/03/07",
    "052 2026/03/08",
    "062 2",
    "072 1",
    "092 Swiss",
    "102 Ada Arbiter",
    "122 90 min + 30 s",
    "142 5",
    "222 5400+30",
    "112 Bob Deputy",
    "112 Cyd Deputy",
    "132" + " " * 88 + "26/03/07" + " " * 12 + "26/03/08",
    "162  W 3.0    D 1.0    L 0.0    A 0.0    P 3.0",
    "001    1 wWGM Lovelace, Ada                     2101 ENG     1503014 1815/12/10  6.0    1"
    "    12 w 1  0000 - U          ",
    "001   12      Babbage                                                            0.0    2"
    "     1 b 0",
]


def test_every_byte_is_in_its_column() -> None:
    assert written(EXACT).decode().split("\r\n") == [*LINES, ""]


def test_the_columns_are_those_of_the_format() -> None:
    """By the numbers that the published tables name, counted from 1."""
    line = written(EXACT).decode().split("\r\n")[-3]
    spans = {
        (1, 3): "001",
        (5, 8): "   1",
        (10, 10): "w",
        (11, 13): "WGM",
        (15, 47): "Lovelace, Ada".ljust(33),
        (49, 52): "2101",
        (54, 56): "ENG",
        (58, 68): "1503014".rjust(11),
        (70, 79): "1815/12/10",
        (81, 84): " 6.0",
        (86, 89): "   1",
        (92, 95): "  12",
        (97, 97): "w",
        (99, 99): "1",
        (102, 105): "0000",
        (107, 107): "-",
        (109, 109): "U",
        (112, 119): " " * 8,
    }
    assert {span: line[span[0] - 1 : span[1]] for span in spans} == spans
    between = set(range(1, len(line) + 1)) - {n for a, b in spans for n in range(a, b + 1)}
    assert {line[each - 1] for each in between} == {" "}


def test_scoring_that_is_usual_is_not_said() -> None:
    assert b"\r\n162" not in written(Report(name="x"))
    assert written(Report(name="x", scoring=Scoring(win=20))).split(b"\r\n")[-2].startswith(b"162")


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_it_is_read_back_whatever_lines_end_with(end: str) -> None:
    data = "### a comment\r\n\r\n" + written(EXACT).decode()
    assert read(data.replace("\r\n", end).encode()) == EXACT


def test_other_tags_are_kept() -> None:
    more = ("240 H 003    1   12", "XXR 5")
    report = Report(name="x", others=more)
    assert read(written(report)) == report


names = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=("C", "Z")),
    min_size=1,
    max_size=33,
)
cells = st.one_of(
    st.just(NOTHING),
    st.builds(Cell, st.integers(1, 9999), st.sampled_from("wb"), st.sampled_from("1=0+-WDL ")),
    st.builds(Cell, st.just(0), st.just("-"), st.sampled_from("UHFZ")),
)
players = st.builds(
    Player,
    number=st.integers(1, 9999),
    name=names,
    sex=st.sampled_from(("", "m", "w")),
    title=st.sampled_from(("", "GM", "WFM", "CM")),
    rating=st.none() | st.integers(0, 9999),
    federation=st.sampled_from(("", "BEL")),
    fide_id=st.sampled_from(("", "1503014", "12345678901")),
    birth=st.sampled_from(("", "1999/01/31")),
    points=st.integers(0, 999),
    rank=st.integers(1, 9999),
    cells=st.lists(cells, max_size=6).map(tuple),
)
scorings = st.builds(Scoring, *(st.integers(0, 999) for _ in range(5)))
reports = st.builds(
    Report,
    name=names,
    city=st.sampled_from(("", "Ghent")),
    deputies=st.lists(names, max_size=2).map(tuple),
    dates=st.sampled_from(((), ("26/01/01",), ("26/01/01", "", "26/01/03"))),
    rounds=st.integers(0, 99),
    scoring=scorings,
    players=st.lists(players, max_size=4).map(tuple),
)


@given(reports)
def test_what_is_written_is_what_is_read(report: Report) -> None:
    assert read(written(report)) == report


@pytest.mark.parametrize(
    "report",
    [
        Report(name="two\nlines"),
        Report(name=" x"),
        Report(name="x", deputies=("a\r",)),
        Report(name="x", dates=("2026/01/01",)),
        Report(name="x", players=(Player(number=0, name="a", points=0, rank=1),)),
        Report(name="x", players=(Player(number=10_000, name="a", points=0, rank=1),)),
        Report(name="x", players=(Player(number=1, name="a" * 34, points=0, rank=1),)),
        Report(name="x", players=(Player(number=1, name="a", points=1000, rank=1),)),
        Report(name="x", players=(Player(number=1, name="a", points=0, rank=1, birth="x" * 11),)),
    ],
)
def test_what_does_not_fit_is_refused(report: Report) -> None:
    with pytest.raises(TrfRefused):
        written(report)


@pytest.mark.parametrize(
    "data",
    [
        b"\xff",
        b"001    x      Babbage",
        LINES[-1].replace(" 1 b 0", " 1 b ?").encode(),
        LINES[-1].replace(" 1 b 0", " 1 x 0").encode(),
        LINES[-1].replace(" 1 b 0", " q b 0").encode(),
        LINES[-1].replace(" 0.0", "  .5").encode(),
        b"142 five",
    ],
)
def test_what_can_not_be_read_is_refused(data: bytes) -> None:
    with pytest.raises(TrfRefused):
        read(data)


def test_every_code_scores_as_something() -> None:
    assert set(SCORED_AS) == set("-+WDL1=0HFUZ ")
    assert Scoring().of("H") == 5
