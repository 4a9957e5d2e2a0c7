"""Open passages and where a tunnel may be placed."""

from games.ambagibus.state import Options, Table, is_on_table
from tests.games.ambagibus.build import given, hard_edge


def test_ab_06_an_opening_that_meets_no_opening_is_an_open_passage() -> None:
    given("D4a D4b", "(0,0) X1234 r0, (0,-1) D1a r2").then(
        open="(0,0).E II, (0,0).S III, (0,0).W IV"
    )


def test_ab_06_openings_toward_a_caved_in_cell_are_closed() -> None:
    given("D4a", "(0,0) cave1 over X1234 r0, (1,0) S24 r1").then(open="(1,0).E II")


def test_ab_07_a_passage_has_the_priority_printed_at_it() -> None:
    play = given("D4a", "(0,0) X1342 r1")
    play.then(open="(0,0).N II, (0,0).E I, (0,0).S III, (0,0).W IV", sum=10)


def test_ab_12_a_tunnel_connects_to_an_open_passage() -> None:
    play = given("D4a", "(0,0) S12 r0")
    play.refused("(1,0) r0")
    play.refused("(0,0) r0")
    play.refused("(0,-1) r0")
    play.when("(0,-1) r2").then(open="(0,0).S II")


def test_ab_13_no_passage_may_be_blocked() -> None:
    given("D1a C12", "(0,0) C41 r0, (0,−1) C23 r1, (1,−1) C32 r2").then(
        current="C12", pile="D1a", known="D1a"
    )


def test_ab_13_no_opening_may_lie_against_bricks() -> None:
    board = "(0,0) S12 r0, (1,1) D1a r0"
    given("X1234", board).offers("(0,-1): 0, 1, 2, 3")
    given("T123", board).offers("(0,-1): 1, 2, 3; (1,0): 1")


def test_ab_14_onto_the_lowest_number() -> None:
    play = given("D4a", "(0,0) X1234 r0").offers("(0,-1): 2")
    for refused in ("(1,0) r3", "(0,1) r0", "(-1,0) r1"):
        play.refused(refused)


def test_ab_15_passages_the_card_does_not_fit_are_ignored() -> None:
    given("D3a C12", "(0,0) C41 r0, (0,−1) T234 r1, (1,−1) C32 r2").offers("(0,-2): 2")


def test_ab_16_the_seat_chooses_among_passages_of_that_number_and_the_rotation() -> None:
    play = given("C12", "(0,0) S12 r0, (5,0) S13 r1")
    play.offers("(0,-1): 1, 2; (6,0): 2, 3")


def test_ab_17_a_cell_counts_with_the_lowest_number_into_it() -> None:
    # Both I and III lead into (1,0), and that is lower than the II to the north.
    board = "(0,0) C41 r0, (0,−1) T234 r1, (1,−1) C32 r2"
    given("C43 D2a", board).offers("(1,0): 3")


def test_ab_17_the_numbers_on_the_card_do_not_matter() -> None:
    for card in ("D1a", "D2a", "D3a", "D4a"):
        given(card, "(0,0) X1234 r0").offers("(0,-1): 2")


def test_ab_20_openings_that_meet_are_closed_whatever_their_numbers() -> None:
    given("D4b C12", "(0,0) S12 r0").when("(0,-1) r2").then(open="(0,0).S II", current="C12")


def test_ab_43_no_later_card_opens_toward_a_caved_in_cell() -> None:
    board = "(0,0) cave1 over X1234 r0, (1,1) C12 r3"
    play = given("X1423 T123", board).then(current="T123", pile="X1423")
    play.offers("(0,1): 2")


def test_ab_70_an_infinite_table_has_no_limit() -> None:
    assert is_on_table(Options(), (10_000, -10_000))
    given("D1a", "(500,-500) S12 r0").offers("(500,-501): 2")


def test_ab_71_cells_beyond_a_hard_edge_are_closed() -> None:
    options = Options(table=Table.HARD_EDGE, table_width=4, table_height=3)
    cells = [(x, y) for x in range(-4, 5) for y in range(-4, 5)]
    assert [cell for cell in cells if is_on_table(options, cell)] == [
        (x, y) for x in range(-1, 3) for y in range(-1, 2)
    ]


def test_ab_71_no_opening_may_point_off_the_table() -> None:
    given("S13 C13", "(0,0) S12 r0", **hard_edge(3, 3)).then(current="C13", pile="S13")
    given("S13 C13", "(0,0) S12 r0", **hard_edge(3, 5)).offers("(0,-1): 0, 2")
