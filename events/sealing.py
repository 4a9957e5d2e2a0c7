"""New events as stored records: bodies, facets, commitments, hashes."""

from collections.abc import Callable, Sequence

import msgspec

from events import chain
from events.dealer import Dealer
from events.decide import Step
from events.observe import facets
from events.types import Record, kind_of

Entropy = Callable[[int], bytes]  # n random bytes


class Sealed(msgspec.Struct, frozen=True):
    """A record and the bytes its commitments open to, by facet index."""

    record: Record
    facets: tuple[bytes, ...]


def seal(steps: Sequence[Step], dealer: Dealer, entropy: Entropy) -> tuple[Sealed, ...]:
    """`steps` chained onto the match before them; sets the head of each match after a step."""
    first = steps[0]
    created = first.after.created
    prev = (
        first.before.head
        if first.before
        else chain.genesis(created.match_id, created.seats, created.format)
    )
    sealed = []
    for step in steps:
        one = _sealed(step, prev, dealer, entropy(chain.SALT_BYTES))
        prev = one.record.hash
        # The match after the step is this function's to finish: nobody else holds it yet.
        msgspec.structs.force_setattr(step.after, "head", prev)
        sealed.append(one)
    return tuple(sealed)


def _sealed(step: Step, prev: bytes, dealer: Dealer, salt: bytes) -> Sealed:
    event, created = step.event, step.after.created
    opened = facets(step.before, event, created.seats, dealer)
    joined = chain.commitments(created.match_id, event.version, salt, opened)
    record = Record(
        version=event.version,
        kind=kind_of(event),
        schema=event.schema,
        at=event.at,
        body=opened[-1],
        salt=salt,
        facets=joined,
        hash=chain.link(prev, event.version, joined),
    )
    return Sealed(record, opened)
