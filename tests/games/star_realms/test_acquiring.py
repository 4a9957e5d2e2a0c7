"""Rules SR-40 to SR-46: acquiring cards, redirects, the row."""

from tests.games.star_realms.build import Play, given


def test_sr_40_a_card_is_bought_for_its_cost_and_gives_nothing() -> None:
    play = given(row="ram cutter dreadnaught - -", trade=4)
    assert play.offered(0, "acquire") == ["ram", "cutter", "explorer"]
    play.do("0 acquire ram").then(trade=1, discard0="ram", combat=0, played0="", play0="")
    play.refused("0 acquire cutter")


def test_sr_41_a_card_of_the_row_is_replaced_in_its_slot() -> None:
    play = given(row="ram cutter corvette ram war_world", trade_deck="junkyard", trade=9)
    play.do("0 acquire row:2").then(row="ram cutter junkyard ram war_world", trade_deck="")
    play.do("0 acquire row:0").then(row="- cutter junkyard ram war_world")


def test_sr_42_explorers_are_bought_while_there_are_any() -> None:
    play = given(trade=4, explorers=2)
    first, second = play.state.explorers
    play.do("0 acquire explorer; 0 acquire explorer").then(explorers=0, trade=0)
    assert play.state.seats[0].discard == (first, second)
    assert given(trade=4, explorers=0).offered(0, "acquire") == []


def armed(row: str = "ram blob_wheel corvette - -") -> Play:
    """One mandatory and one optional redirect, and trade."""
    play = given(hand0="freighter cutter", play0="central_office", row=row, trade=9)
    return play.do(
        "0 play freighter; 0 use freighter/ally; 0 play cutter; 0 use central_office/primary"
    )


def test_sr_43_a_mandatory_redirect_is_spent_first() -> None:
    play = armed().do("0 acquire ram").then(deck0="ram", discard0="")
    play.do("0 acquire corvette")
    assert play.asked() == ("to_deck_top", (0,))
    play.do("0 top yes").then(deck0="corvette ram", discard0="")
    play.do("0 acquire explorer").then(discard0="explorer")


def test_sr_43_each_use_covers_one_ship() -> None:
    play = given(hand0="freighter*2", row="ram cutter corvette - -", trade=9)
    play.do("0 play freighter; 0 play freighter; 0 use freighter/ally; 0 use freighter/ally")
    play.do("0 acquire ram; 0 acquire cutter; 0 acquire corvette")
    play.then(deck0="cutter ram", discard0="corvette")
    play = given(
        play0="central_office#1 central_office#2",
        row="ram cutter corvette - -",
        trade=9,
        trade_decks=2,
    ).do("0 use central_office#1/primary; 0 use central_office#2/primary")
    play.do("0 acquire ram; 0 top no; 0 acquire cutter; 0 top yes; 0 acquire corvette")
    play.then(deck0="cutter", discard0="ram corvette")


def test_sr_43_bases_spend_no_redirect_and_explorers_do() -> None:
    play = armed().do("0 acquire blob_wheel").then(discard0="blob_wheel")
    play.do("0 acquire explorer").then(deck0="explorer")


def test_sr_43_a_redirect_is_for_this_turn() -> None:
    play = given(play0="central_office", trade=5, hand0="", row="ram - - - -", deck0="scout*9").do(
        "0 use central_office/primary; 0 end; 1 end"
    )
    assert play.state.seats[0].topdeck.optional == 0
    play.do("0 play scout; 0 play scout; 0 play scout; 0 acquire ram").then(discard0="ram")


def test_sr_44_a_free_acquisition_takes_one_of_those_that_fit() -> None:
    play = given(up0="smuggling_run", row="ram dreadnaught trading_post - -")
    play.do("0 gambit smuggling_run")
    assert play.offered(0, "free") == ["ram", "trading_post", "explorer"]
    play.do("0 free explorer").then(discard0="explorer", explorers=9, trade=0)


def test_sr_44_a_ship_of_any_cost_and_no_base() -> None:
    play = given(play0="blob_carrier ram", row="war_world dreadnaught - - -")
    play.do("0 use blob_carrier/ally")
    assert play.offered(0, "free") == ["dreadnaught", "explorer"]


def test_sr_44_a_single_candidate_must_be_taken() -> None:
    play = given(play0="blob_carrier ram", row="war_world - - - -", explorers=1)
    play.do("0 use blob_carrier/ally").then(deck0="explorer", explorers=0)
    play = given(play0="blob_carrier ram", explorers=0).do("0 use blob_carrier/ally")
    play.then(deck0="")
    assert play.asked() == ("main", (0,))


def test_sr_45_a_free_acquisition_to_the_deck_spends_no_redirect() -> None:
    play = given(
        hand0="freighter cutter blob_carrier blob_fighter", row="ram corvette - - -", trade=9
    ).do("0 play freighter; 0 play cutter; 0 use freighter/ally; 0 play blob_carrier")
    play.do("0 play blob_fighter; 0 use blob_carrier/ally; 0 free ram").then(deck0="ram")
    play.do("0 acquire corvette").then(deck0="corvette ram")


def test_sr_46_a_card_scrapped_from_the_row_is_replaced() -> None:
    play = given(hand0="battle_pod", row="ram cutter ram cutter corvette", trade_deck="junkyard")
    play.do("0 play battle_pod; 0 scrap row:1")
    play.then(heap="cutter", row="ram junkyard ram cutter corvette")
