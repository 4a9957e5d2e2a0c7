"""What seats themselves vouch for, checked from what any viewer is shown."""

from collections.abc import Mapping
from hmac import digest as hmac
from typing import Any

from events.canonical import canonical
from events.chain import salt_in
from events.entropy import commitment_of
from events.legality import Wrong
from events.seat_keys import RESIGNING, SeatSignatureWrong, check_commitment
from events.types import SeenSignature
from games.core.game import ALL, Seat, Viewer


class SeatsOwn:
    """The seats of a match as far as their events were shown."""

    def __init__(self, match_id: str, seats: int) -> None:
        self._match_id = match_id
        self._keys: dict[Seat, str] = {}
        self._latest = dict.fromkeys(range(seats), 0)  # the version of what the seat signed last
        self._committed: dict[Seat, str | None] = {}

    def take(self, shown: Mapping[str, Any], viewer: Viewer, heads: Mapping[int, str]) -> None:
        """One more event; `heads` are those before it, by version. Raises: Wrong."""
        seat: Seat = shown.get("seat", -1)
        said = shown if viewer == ALL else shown.get("data", {})
        match shown["kind"]:
            case "seat_claimed":
                self._keys.pop(seat, None)
                if said.get("key") is not None:
                    self._keys[seat] = said["key"]
                self._committed.pop(seat, None)
            case "stand_in_seated":
                self._keys.pop(seat, None)
            case "dispute_ruled" if said["ruling"]["type"] == "replace_seat":
                self._keys.pop(said["ruling"]["seat"], None)
            case "move_played" if shown.get("by", "seat") == "seat":
                self._moved(shown, heads)
            case "seat_resigned":
                what = b"{}"
                self._signed(shown["version"], seat, RESIGNING, said.get("signed"), what, heads)
            case "entropy_committed":
                self._committed[seat] = said["commitment"]
            case "entropy_opened" if seat in self._committed:
                made = commitment_of(self._match_id, seat, bytes.fromhex(said["opening"]))
                if made != self._committed[seat]:
                    raise Wrong("entropy", f"seat {seat} opened what it had not committed to")

    def _moved(self, shown: Mapping[str, Any], heads: Mapping[int, str]) -> None:
        signed = shown.get("signed")
        what = canonical(shown["move"]) if signed and "nonce" in signed else None
        decision = shown.get("decision")
        self._signed(shown["version"], shown["seat"], decision, signed, what, heads)

    def _signed(
        self,
        version: int,
        seat: Seat,
        decision: str | None,
        signed: Mapping[str, Any] | None,
        what: bytes | None,
        heads: Mapping[int, str],
    ) -> None:
        """`what` is what was signed, where it is shown together with its nonce."""
        key = self._keys.get(seat)
        if key is None or signed is None:
            if key is not None or (signed is not None and heads.get(1) is not None):
                raise Wrong("signature", f"seat {seat} has a key and did not sign, or has none")
            return
        committed = signed.get("committed")
        if what is not None and "nonce" in signed:
            committed = hmac(salt_in(signed["nonce"]), what, "sha256").hex()
        assert committed is not None
        seen = SeenSignature(signed["version"], signed["head"], committed, signed["signature"])
        try:
            check_commitment(key, self._match_id, decision, bytes.fromhex(committed), seen)
        except SeatSignatureWrong as wrong:
            raise Wrong("signature", str(wrong)) from None
        if not self._latest[seat] <= seen.version < version:
            raise Wrong("signature", f"seat {seat} signed this at another time")
        if heads.get(seen.version, seen.head) != seen.head:
            raise Wrong("signature", f"seat {seat} had seen another event {seen.version}")
        self._latest[seat] = version
