"""What is wrong with an operation before anything of it is run, and what each answers with."""

from collections.abc import Mapping
from typing import Final

from service.refusal import Refusal, Row


class GraphqlSyntax(Refusal):
    """A document that can't be read."""


class GraphqlInvalid(Refusal):
    """A document or variables that the schema does not allow."""


class GraphqlTooLarge(Refusal):
    """A document above one of the limits."""


class GraphqlUnknownOperation(Refusal):
    """No operation is kept under this id."""


class GraphqlTooManySubscriptions(Refusal):
    """A connection has as many operations open as it may."""


ROWS: Final[Mapping[type[Exception], Row]] = {
    GraphqlSyntax: Row(
        400, "graphql-syntax", "The document can't be read", "The document is not GraphQL."
    ),
    GraphqlInvalid: Row(
        400,
        "graphql-invalid",
        "The operation is invalid",
        "The schema does not allow this document or its variables.",
    ),
    GraphqlTooLarge: Row(
        400,
        "graphql-too-large",
        "The operation is too large",
        "The document is deeper, longer or costlier than allowed.",
    ),
    GraphqlUnknownOperation: Row(
        400,
        "graphql-unknown-operation",
        "No such operation",
        "No operation is kept under this documentId; send it with its query.",
    ),
    GraphqlTooManySubscriptions: Row(
        429,
        "graphql-too-many-subscriptions",
        "Too many operations at once",
        "This connection has as many operations open as it may have.",
    ),
}
