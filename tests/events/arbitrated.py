"""An arbiter's bundle with all that can be signed in one: refusals, statements of keys, a proof."""

from functools import cache

from events.bundle import KEYS, PROOF, REFUSALS, STATEMENTS, key_set
from events.signing import SigningKey
from events.statements import line
from events.trust import Trusted
from events.types import MovePlayed
from games.core.game import ALL
from tests.events.bundled import KEY, ORIGIN, OTHER_KEY, bundled, forged, proof
from tests.events.refused import RECEIPTS, Refused, kept, lines
from tests.events.scripted import Table
from tests.events.test_statements import FIRST, RECEIPT_KEY, SECOND

SIGNED = (REFUSALS, STATEMENTS, KEYS, PROOF)
FIRST_KEY = Trusted(((ORIGIN, KEY.public.public),))  # that leads to the others


def refused(at: Table) -> list[Refused]:
    """Of two seats, what is right by any rules: a decision that is another's, an answer again."""
    asked: dict[int, MovePlayed] = {}
    for event in at.events:
        if isinstance(event, MovePlayed) and event.decision is not None and event.by == "seat":
            asked.setdefault(event.seat, event)
    nothing = {"type": "nothing"}
    found = []
    for seat, event in sorted(asked.items())[:2]:
        version = event.version - 1
        found.append(Refused(version, seat, "1.0", nothing, "decision-closed"))
        found.append(Refused(event.version, seat, event.decision, nothing, "decision-answered"))
    return found


@cache
def of(at: Table) -> bytes:
    """Its proof is signed by the second key for checkpoints, which the first one introduced."""
    keys: list[SigningKey] = sorted((OTHER_KEY, RECEIPTS), key=lambda each: each.public.kid)
    told = (RECEIPT_KEY, FIRST, SECOND)
    changes = {
        REFUSALS: lines(kept(at, refused(at))),
        STATEMENTS: b"".join(line(each) + b"\n" for each in told),
        KEYS: key_set([each.public for each in keys]),
        PROOF: proof(at, OTHER_KEY).encode(),
    }
    return forged(bundled(at, ALL), changes)
