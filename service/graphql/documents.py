"""Documents that were parsed and validated once, for all requests of the process."""

import hashlib
import re
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from graphql import (
    DocumentNode,
    GraphQLError,
    GraphQLSchema,
    IntValueNode,
    OperationDefinitionNode,
    OperationType,
    StringValueNode,
    Visitor,
    parse,
    validate,
    visit,
)

from service.errors import Fault, Invalid
from service.graphql.faults import GraphqlInvalid, GraphqlSyntax, GraphqlUnknownOperation
from service.graphql.limits import TOKENS, Cost, measured, too_many_tokens
from service.http import NUL
from service.settings import SettingRefused

_MOST: Final = 1000
_DIGITS: Final = 16  # of the largest number that JSON tells exactly
_LONG_NUMBER: Final = re.compile(r"\d{17}")
_MOST_ERRORS: Final = 10
_LONGEST_SIZE: Final = 10  # digits of an Int; what has more is no size of a page
_HASHED: Final = "sha256:"
_TRUSTED: Final = msgspec.json.Decoder(dict[str, str])


class Prepared(msgspec.Struct, frozen=True, eq=False):
    """A valid document, and by the name of each operation ("" for none) what it is and costs.

    `defaults` are those of its variables that are whole numbers.
    """

    document: DocumentNode
    kinds: Mapping[str, OperationType]
    costs: Mapping[str, Cost]
    defaults: Mapping[str, Mapping[str, int]]

    def operation(self, name: str | None) -> str:
        """The name of the operation that is meant. Raises: GraphqlInvalid."""
        if name is None and len(self.kinds) == 1:
            return next(iter(self.kinds))
        if name is None or name not in self.kinds:
            raise GraphqlInvalid(Fault("operationName", "unknown", "names no one operation"))
        return name


class NotValid(GraphqlInvalid):
    """What is wrong with a document, by the rules of the schema."""

    def __init__(self, errors: list[GraphQLError]) -> None:
        super().__init__()
        self.errors = errors


class NotGraphql(GraphqlSyntax):
    """Where reading a document stopped."""

    def __init__(self, error: GraphQLError) -> None:
        super().__init__()
        self.errors = [error]


class Documents:
    """Bounded; `trusted` are documents by id that are always there."""

    def __init__(self, schema: GraphQLSchema, trusted: Mapping[str, str]) -> None:
        self._schema = schema
        self._trusted = trusted
        self._kept: OrderedDict[str, Prepared] = OrderedDict()
        self._texts: OrderedDict[str, str] = OrderedDict()

    def find(self, query: str | None, document_id: str | None) -> Prepared:
        """The document of a request, by its text or by the id it is kept under.

        A text with the id `sha256:…` of its own is kept under that id.
        Raises: GraphqlSyntax, GraphqlInvalid, GraphqlTooLarge, GraphqlUnknownOperation.
        """
        if document_id is None:
            assert query is not None
            return self._prepared(query)
        if query is None:
            return self._prepared(self._text(document_id))
        if document_id != _HASHED + hashlib.sha256(query.encode()).hexdigest():
            raise GraphqlInvalid(Fault("documentId", "mismatch", "is not the hash of the query"))
        found = self._prepared(query)
        if not _says(query, found):
            self._texts[document_id] = query
        self._texts.move_to_end(document_id)
        if len(self._texts) > _MOST:
            self._texts.popitem(last=False)
        return found

    def _text(self, document_id: str) -> str:
        text = self._trusted.get(document_id) or self._texts.get(document_id)
        if text is None:
            raise GraphqlUnknownOperation
        return text

    def _prepared(self, query: str) -> Prepared:
        kept = self._kept.get(query)
        if kept is not None:
            self._kept.move_to_end(query)
            return kept
        made = _checked(self._schema, query)
        if _says(query, made):
            return made
        self._kept[query] = made
        if len(self._kept) > _MOST:
            self._kept.popitem(last=False)
        return made


def _says(query: str, made: Prepared) -> bool:
    """A mutation with a text written into it, which may have to be erased: it is not kept."""
    return '"' in query and OperationType.MUTATION in made.kinds.values()


def trusted_in(path: Path | None) -> Mapping[str, str]:
    """Operations by id out of a JSON file of an operator. Raises: SettingRefused."""
    if path is None:
        return {}
    try:
        return _TRUSTED.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        raise SettingRefused("PLYSCRIBE_GRAPHQL_OPERATIONS", "is no file of operations") from None


def _checked(schema: GraphQLSchema, query: str) -> Prepared:
    try:
        document = parse(query, max_tokens=TOKENS)
    except GraphQLError as error:
        if "more than" in error.message or "too deeply" in error.message:
            raise too_many_tokens() from None
        raise NotGraphql(error) from None
    if "\\u" in query:
        visit(document, _Texts())
    if _LONG_NUMBER.search(query):
        visit(document, _Numbers())
    errors: Any = validate(schema, document, max_errors=_MOST_ERRORS)
    if errors:
        raise NotValid(errors)
    operations = {
        "" if each.name is None else each.name.value: each
        for each in document.definitions
        if isinstance(each, OperationDefinitionNode)
    }
    return Prepared(
        document=document,
        kinds={name: each.operation for name, each in operations.items()},
        costs=measured(document),
        defaults={name: _defaults(each) for name, each in operations.items()},
    )


class _Texts(Visitor):
    def enter_string_value(self, node: StringValueNode, *_: Any) -> None:
        """Raises: Invalid, as for a text in a body."""
        if "\0" in node.value:
            raise Invalid(Fault("query", *NUL))


class _Numbers(Visitor):
    def enter_int_value(self, node: IntValueNode, *_: Any) -> None:
        """Raises: GraphqlInvalid, before anybody tries to read thousands of digits."""
        if len(node.value) > _DIGITS + 1:
            raise GraphqlInvalid(Fault("query", "out-of-range", "has a number that is too long"))


def _defaults(operation: OperationDefinitionNode) -> dict[str, int]:
    return {
        each.variable.name.value: int(each.default_value.value)
        for each in operation.variable_definitions or ()
        if isinstance(each.default_value, IntValueNode)
        and len(each.default_value.value) <= _LONGEST_SIZE
    }
