"""The size of an operation, measured without running it."""

import pytest
from graphql import parse

from service.errors import ROWS
from service.graphql.faults import GraphqlTooLarge
from service.graphql.limits import ALIASES, DEPTH, Cost, measured, refuse_cost


def nested(depth: int) -> str:
    return "{ a " * depth + "}" * depth


def test_depth_counts_through_fragments() -> None:
    assert measured(parse(nested(DEPTH)))
    with pytest.raises(GraphqlTooLarge):
        measured(parse(nested(DEPTH + 1)))
    halves = f"{{ a {{ a {{ ...F }} }} }} fragment F on A {nested(DEPTH - 2)}"
    assert measured(parse(halves))
    with pytest.raises(GraphqlTooLarge):
        measured(
            parse(halves.replace("{ a { a {", "{ a { a { a {", 1).replace("} } }", "} } } }", 1))
        )


def test_the_schema_may_be_asked_for_at_any_depth() -> None:
    deep = nested(DEPTH + 5).replace("a", "__schema", 1)
    assert measured(parse(deep))[""] == Cost(1)


def test_aliases_count_as_often_as_they_are_spread() -> None:
    spread = "fragment F on A { " + " ".join(f"x{n}: a" for n in range(ALIASES // 2)) + " }"
    assert measured(parse("{ ...F ...F } " + spread))
    with pytest.raises(GraphqlTooLarge):
        measured(parse("{ ...F ...F ...F } " + spread))


def test_fragments_that_double_each_other_are_measured_at_once() -> None:
    many = "{ ...F0 }" + "".join(
        f" fragment F{n} on A {{ ...F{n + 1} ...F{n + 1} }}" for n in range(60)
    )
    for last in ("{ a { b } }", "{ a(first: $n) { b(first: 2) { c } } }"):
        cost = measured(parse(f"{many} fragment F60 on A {last}"))[""]
        with pytest.raises(GraphqlTooLarge):
            refuse_cost(cost, {"n": 1})


def test_a_page_costs_what_is_in_it_as_often_as_it_is_long() -> None:
    text = "query Q($n: Int!) { list(first: $n) { edges { node { inner(first: 10) { x } } } } }"
    cost = measured(parse(text))["Q"]
    assert cost.of({"n": 2}) == 1 + 2 * (1 + 1 + 1 + (1 + 10 * 1))
    assert cost.of({"n": 10**9}) == cost.of({"n": "x"}) == cost.of({}) == cost.of({"n": 1})
    wide = measured(parse(text.replace("first: 10", "first: 100")))["Q"]
    refuse_cost(wide, {"n": 19})
    with pytest.raises(GraphqlTooLarge):
        refuse_cost(wide, {"n": 20})
    assert GraphqlTooLarge in ROWS
