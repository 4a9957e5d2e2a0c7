"""What a refusal is made of; service/errors.py says what each answers with."""

from typing import Any

import msgspec


class Fault(msgspec.Struct, frozen=True):
    """One thing wrong with a request; `pointer` is a JSON pointer into its body, or a name."""

    pointer: str
    code: str
    detail: str


class Refusal(Exception):
    """What a door refuses by itself.

    `decision` is the seat's fresh decision, given to that seat alone; `headers` go with the answer.
    """

    def __init__(
        self,
        *faults: Fault,
        decision: Any = None,
        headers: tuple[tuple[bytes, bytes], ...] = (),
    ) -> None:
        super().__init__(type(self).__name__)
        self.faults = faults
        self.decision = decision
        self.headers = headers


class Row(msgspec.Struct, frozen=True):
    """What an error answers with; `graphql` is the code in GraphQL answers."""

    status: int
    code: str
    title: str
    detail: str

    @property
    def graphql(self) -> str:
        return self.code.replace("-", "_").upper()
