"""Signs what the service says about a match: receipts, what was shown, heads.

Never before what it says is stored; what is asked for again is signed once for all from then on.
"""

from collections import OrderedDict
from typing import Final

import msgspec

from events.canonical import canonical
from events.chain import COMMITMENT_BYTES
from events.evidence import (
    HEAD,
    RECEIPT,
    RESULT,
    Evidence,
    HeadOf,
    Payload,
    ReceiptOf,
    ResultOf,
    ShownOf,
    body_digest,
    document,
    viewer_name,
)
from events.match import Match
from events.results import RESULT_FORM, Result
from events.signing import Purpose
from events.types import Record
from games.core.game import Seat, Viewer
from projections.repeats import Repeats
from service.receipts import MoveReceipt, Receipt
from service.signing_keys import SigningKeys

HEADER: Final = b"plyscribe-evidence"
FORM: Final = 1  # of answers; a new one makes old tags worthless


class Notary:
    """Keeps what it signed about recent versions if it was asked again, bounded."""

    def __init__(self, keys: SigningKeys, most: int = 8192) -> None:
        self._keys = keys
        self._most = most
        self._repeats = Repeats(most)
        self._kept: OrderedDict[tuple[str, str, int, Viewer | None], Evidence] = OrderedDict()

    def receipt(
        self, match_id: str, seat: Seat, decision: str | None, receipt: Receipt, event: Record
    ) -> MoveReceipt:
        """`event` is the first that the move led to. The same bytes however often it is asked."""
        place = (seat + 1) * COMMITMENT_BYTES
        said = ReceiptOf(
            match_id=match_id,
            seat=seat,
            decision=decision,
            first=receipt.first,
            last=receipt.last,
            head=receipt.head,
            commitment=event.facets[place : place + COMMITMENT_BYTES].hex(),
            at=event.at,
        )
        evidence = self.signed(RECEIPT, said, event.at)
        return MoveReceipt(receipt.first, receipt.last, receipt.head, evidence)

    def shown(self, tag: str, current: Match, viewer: Viewer, body: bytes) -> Evidence:
        """That the viewer was shown `body`, which follows from match, version and viewer."""
        place = (tag, current.match_id, current.version, viewer)
        kept = self._kept.get(place)
        if kept is not None:
            return kept
        said = ShownOf(
            form=FORM,
            match_id=current.match_id,
            viewer=viewer_name(viewer),
            version=current.version,
            head=current.head.hex(),
            body=body_digest(body),
        )
        return self._keep(place, self.signed(tag, said, None))

    def head(self, match_id: str, version: int, head: str) -> Evidence:
        place = (HEAD, match_id, version, None)
        kept = self._kept.get(place)
        if kept is not None:
            return kept
        return self._keep(place, self.signed(HEAD, HeadOf(match_id, version, head), None))

    def result(self, match_id: str, result: Result, head: str) -> Evidence:
        """`head` is the hash of the event since which the result is as it is."""
        place = (RESULT, match_id, result.version, None)
        kept = self._kept.get(place)
        if kept is not None:
            return kept
        said = ResultOf(
            form=RESULT_FORM,
            match_id=match_id,
            head=head,
            **{name: getattr(result, name) for name in Result.__struct_fields__},
        )
        return self._keep(place, self.signed(RESULT, said, None))

    def signed(self, tag: str, said: Payload, at: int | None) -> Evidence:
        """`at` (ms) is when it happened, None for what is said now."""
        payload = canonical(said)
        if at is None:
            signature = self._keys.sign(Purpose.RECEIPTS, tag, payload)
        else:
            signature = self._keys.sign_as_of(Purpose.RECEIPTS, tag, payload, at)
        return document(tag, payload, signature)

    def _keep(self, place: tuple[str, str, int, Viewer | None], made: Evidence) -> Evidence:
        if self._repeats.again(place):
            self._kept[place] = made
            if len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return made


def header(evidence: Evidence) -> tuple[bytes, bytes]:
    """The document as a header: JSON in ASCII."""
    return HEADER, msgspec.json.encode(evidence)
