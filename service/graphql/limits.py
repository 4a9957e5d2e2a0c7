"""How large an operation may be: depth, aliases, tokens, and a cost known before it runs."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec
from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    InlineFragmentNode,
    IntValueNode,
    OperationDefinitionNode,
    SelectionSetNode,
    VariableNode,
)

from service.errors import Fault
from service.graphql.faults import GraphqlTooLarge

DEPTH: Final = 10
ALIASES: Final = 20
TOKENS: Final = 2000
COST: Final = 2000
_PAGE: Final = "first"
_WIDEST: Final = 100  # a larger page is refused anyhow, before anything in it is looked for


class Cost(msgspec.Struct, frozen=True):
    """`fixed`, and for each page its size (a number, or a variable's name) and what one item costs.

    Fields with fields of their own cost 1, others nothing.
    """

    fixed: int = 0
    pages: tuple[tuple[int | str, "Cost"], ...] = ()

    def of(self, variables: Mapping[str, Any]) -> int:
        """What an operation costs with these variables; never more than is needed to refuse it."""
        total = self.fixed
        for size, each in self.pages:
            if total > COST:
                return total
            given = variables.get(size) if isinstance(size, str) else size
            times = given if type(given) is int and 0 < given <= _WIDEST else 1
            total += times * each.of(variables)
        return total


class Size(msgspec.Struct, frozen=True):
    depth: int = 0
    aliases: int = 0
    cost: Cost = Cost()


def measured(document: DocumentNode) -> dict[str, Cost]:
    """The cost of each operation by its name ("" without one).

    The document has to be valid. Raises: GraphqlTooLarge.
    """
    fragments = {
        each.name.value: each
        for each in document.definitions
        if isinstance(each, FragmentDefinitionNode)
    }
    measure, found = _Measure(fragments), {}
    for each in document.definitions:
        if isinstance(each, OperationDefinitionNode):
            size = measure.of(each.selection_set)
            _refuse("depth", size.depth, DEPTH)
            _refuse("aliases", size.aliases, ALIASES)
            found["" if each.name is None else each.name.value] = size.cost
    return found


def refuse_cost(cost: Cost, variables: Mapping[str, Any]) -> None:
    """Raises: GraphqlTooLarge."""
    _refuse("cost", cost.of(variables), COST)


def too_many_tokens() -> Exception:
    return GraphqlTooLarge(Fault("tokens", "too-large", f"above {TOKENS}"))


def _refuse(what: str, found: int, most: int) -> None:
    if found > most:
        detail = f"above {most}" if what == "cost" else f"{found}, above {most}"
        raise GraphqlTooLarge(Fault(what, "too-large", detail))


class _Measure:
    """A fragment is measured once, however often it is spread."""

    def __init__(self, fragments: Mapping[str, FragmentDefinitionNode]) -> None:
        self._fragments = fragments
        self._known: dict[str, Size] = {}

    def of(self, selections: SelectionSetNode) -> Size:
        depth, aliases, fixed = 0, 0, 0
        pages: list[tuple[int | str, Cost]] = []
        for each in selections.selections:
            size = self._one(each)
            depth = max(depth, size.depth)
            aliases = min(aliases + size.aliases, ALIASES + 1)
            fixed = min(fixed + size.cost.fixed, COST + 1)
            pages += size.cost.pages
            if len(pages) > COST:
                # Each costs 1 at least, and fragments that double each other would fill the memory.
                fixed, pages = COST + 1, []
        return Size(depth, aliases, Cost(fixed, tuple(pages)))

    def _one(self, each: object) -> Size:
        match each:
            case FieldNode():
                return self._field(each)
            case InlineFragmentNode():
                return self.of(each.selection_set)
            case FragmentSpreadNode():
                name = each.name.value
                if name not in self._known:
                    self._known[name] = self.of(self._fragments[name].selection_set)
                return self._known[name]
        raise AssertionError(each)

    def _field(self, field: FieldNode) -> Size:
        alias = int(field.alias is not None)
        if field.selection_set is None:
            return Size(1, alias)
        if field.name.value.startswith("__"):
            # The schema is open to all, and asking for it is deeper than any other question.
            return Size(1, alias, Cost(1))
        inner = self.of(field.selection_set)
        own = Cost(1 + inner.cost.fixed, inner.cost.pages)
        size = _page_size(field)
        if size is not None:
            own = Cost(1, ((size, Cost(1 + inner.cost.fixed, inner.cost.pages)),))
        return Size(inner.depth + 1, alias + inner.aliases, own)


def _page_size(field: FieldNode) -> int | str | None:
    for argument in field.arguments or ():
        if argument.name.value == _PAGE:
            match argument.value:
                case IntValueNode(value=value):
                    return int(value) if len(value) < 6 else 1
                case VariableNode(name=name):
                    return name.value
    return None
