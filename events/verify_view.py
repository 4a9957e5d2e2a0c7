"""The check of one viewer's own filtered log, with nothing but what that viewer was given."""

from collections.abc import Iterable
from typing import Any, TypeAlias

from events import chain
from events.canonical import canonical, decoded
from events.dealer import answer_commitment, commitment
from events.legality import Fault, Verdict, Wrong, check_at, check_window
from events.proof import Proof
from events.seats_own import SeatsOwn
from events.signing import SKEW_MS
from events.texts import digest_of, places
from events.types import TextRow
from games.core.game import ALL, SPECTATOR, Viewer

Entry: TypeAlias = tuple[bytes, Proof]  # an observation, or the body for ALL

OVERDUE_MS = 86_400_000  # a reveal that comes so much later than its window ends was withheld

_ENDS = ("match_ended", "match_cancelled")
_ENDING = ("set_result", "void", "replay")  # rulings that end a match that is not over
_OF_DISPUTES = (
    "dispute_opened",
    "review_started",
    "dispute_ruled",
    "dispute_appealed",
    "dispute_closed",
)

CHECKS = ("chain", "facets", "answers", "signatures", "texts", "entropy", "seed")


def verify_view(
    entries: Iterable[Entry],
    match_id: str,
    seats: int,
    viewer: Viewer,
    now: int | None = None,
) -> Verdict:
    """Check what `viewer` was shown against the chain all viewers share.

    With `now` (ms) a reveal that is overdue by then is a fault.
    An observation may carry `texts` and `proof`, as the doors join them on. Never raises.
    """
    audit = _ViewAudit(match_id, seats, viewer)
    count = 0
    for count, (shown, proof) in enumerate(entries, 1):
        try:
            audit.take(shown, proof)
        except Wrong as wrong:
            return audit.verdict(count - 1, Fault(audit.next, wrong.code, wrong.reason))
        except Exception as error:
            reason = f"cannot be read: {type(error).__name__}"
            return audit.verdict(count - 1, Fault(audit.next, "entry", reason))
    return audit.verdict(count, audit.overdue(now))


class _ViewAudit:
    def __init__(self, match_id: str, seats: int, viewer: Viewer) -> None:
        self.next = 1
        self._bound, self._seats, self._viewer = chain.id_bytes(match_id), seats, viewer
        self._prev = chain.genesis(match_id, seats)
        self._bound_to = self._bound  # of the seed: the match or its deal group
        self._begun = False
        self._sealed: dict[str, str] = {}
        self._seed_commitment: str | None = None
        self._reveal = _Reveal()
        self._unchecked: list[str] = []
        self.heads: dict[int, str] = {}
        self._seats_own = SeatsOwn(match_id, seats)

    def take(self, shown: bytes, proof: Proof) -> None:
        data = decoded(shown)
        texts = data.pop("texts", {})
        joined_on = texts or "proof" in data
        data.pop("proof", None)
        self._link(data["version"], proof)
        self._open(canonical(data) if joined_on else shown, proof)
        check_at(data["at"])
        self._check_texts(data, texts)
        self._check_answers(data)
        self._check_seed(data)
        self._reveal.take(data, self._content(data))
        self._seats_own.take(data, self._viewer, self.heads)
        self.heads[self.next] = self._prev.hex()
        self.next += 1

    def overdue(self, now: int | None) -> Fault | None:
        latest = self._reveal.latest
        if now is None or latest is None or now <= latest + SKEW_MS:
            return None
        return Fault(self.next, "overdue", "by then the match had to be revealed")

    def verdict(self, events: int, fault: Fault | None) -> Verdict:
        return Verdict(events, fault, CHECKS, tuple(self._unchecked))

    def _link(self, version: int, proof: Proof) -> None:
        if not self._begun and version > 1:
            self._unchecked.append(f"events before {version}: not given")
            self.next, self._prev = version, bytes.fromhex(proof.prev)
        self._begun = True
        if version != self.next:
            raise Wrong("version", f"version {version} stands in place {self.next}")
        if proof.prev != self._prev.hex():
            raise Wrong("prev", "not the hash of the event before")
        if len(proof.commitments) != self._seats + 2:
            raise Wrong("facets", "not one commitment for each viewer")
        parts = [bytes.fromhex(each) for each in proof.commitments]
        if any(len(each) != chain.COMMITMENT_BYTES for each in parts):
            raise Wrong("facets", "a commitment of another size")
        self._prev = chain.link(self._prev, version, b"".join(parts))
        if proof.hash != self._prev.hex():
            raise Wrong("hash", "the hash does not continue the chain")

    def _open(self, shown: bytes, proof: Proof) -> None:
        """The own commitment opens to what was shown, or says that it is what the public saw."""
        viewer, salts = self._viewer, proof.salts
        if viewer == ALL:
            index = self._seats + 1
            salt = chain.facet_salt(chain.salt_in(salts["event"]), index)
            fits = self._opens(proof, index, salt, shown)
        elif viewer == SPECTATOR:
            fits = self._opens(proof, chain.PUBLIC, chain.salt_in(salts["public"]), shown)
        else:
            own, public = chain.salt_in(salts["own"]), chain.salt_in(salts["public"])
            fits = self._opens(proof, viewer + 1, own, shown) or (
                self._opens(proof, viewer + 1, own, chain.SAME)
                and self._opens(proof, chain.PUBLIC, public, shown)
            )
        if not fits:
            raise Wrong("facet", "not what the chain commits to")

    def _opens(self, proof: Proof, index: int, salt: bytes, facet: bytes) -> bool:
        made = chain.commit(salt, self._bound, self.next, index, facet)
        return made.hex() == proof.commitments[index]

    def _check_texts(self, data: dict[str, Any], texts: dict[str, Any]) -> None:
        for field, row in texts.items():
            said = TextRow(data["version"], field, chain.salt_in(row["salt"]), row["text"])
            if places(data).get(field) != digest_of(said):
                raise Wrong("text", f"{field} is not the text that was said")

    def _check_answers(self, data: dict[str, Any]) -> None:
        if "sealed" in data:
            self._sealed[data["decision"]] = data["sealed"]
        for each in data.get("reveals", ()):
            self._check_opening(each, data["version"])

    def _check_opening(self, opening: dict[str, Any], version: int) -> None:
        decision, seat = opening.get("decision"), opening["seat"]
        if decision is None:
            self._unchecked.append(f"answer of seat {seat} shown by event {version}: no opening")
        elif not decision.endswith(f".{seat}"):
            raise Wrong("answer", f"decision {decision} was not seat {seat}'s")
        elif decision not in self._sealed:
            if self._sees_all_from_the_start():
                raise Wrong("answer", f"nothing committed to the answer of {decision}")
            self._unchecked.append(f"answer of {decision}: it lies before what was given")
        else:
            salt = chain.salt_in(opening["salt"])
            made = answer_commitment(salt, canonical(opening["move"])).hex()
            if made != self._sealed[decision]:
                raise Wrong("answer", f"the answer of {decision} is not the one committed to")

    def _sees_all_from_the_start(self) -> bool:
        return not any(each.startswith("events before") for each in self._unchecked)

    def _check_seed(self, data: dict[str, Any]) -> None:
        content, latest = self._content(data), self._reveal.latest
        if data["kind"] == "match_created":
            check_window(content["reveal"], content.get("window"))
            bound = content["deal_group"]
            self._bound_to = chain.id_bytes(bound) if bound else self._bound
            self._seed_commitment = content["seed_commitment"]
        elif data["kind"] == "match_revealed":
            if latest is not None and data["at"] > latest + SKEW_MS:
                raise Wrong("overdue", "revealed later than it had to be")
            if self._seed_commitment is None:
                self._unchecked.append("seed: event 1 was not given")
            elif commitment(bytes.fromhex(content["seed"]), self._bound_to).hex() != (
                self._seed_commitment
            ):
                raise Wrong("seed", "the seed does not open its commitment")

    def _content(self, data: dict[str, Any]) -> dict[str, Any]:
        """What is said besides the envelope."""
        said: dict[str, Any] = data if self._viewer == ALL else data.get("data", {})
        return said


class _Reveal:
    """By when a match has to be revealed, as far as any viewer can tell."""

    def __init__(self) -> None:
        self._promised: int | None = None
        self._window: int | None = None  # ms
        self._at_once = False  # the reveal follows the end
        self._over_since: int | None = None
        self._window_ends: int | None = None
        self._needs_all = False  # it is void if a seat does not come
        self._out: set[Any] = set()  # seats that nobody has to come to

    @property
    def latest(self) -> int | None:
        """In ms; None once it is revealed, and where nothing is promised."""
        promised, over_since = self._promised, self._over_since
        if self._at_once and over_since is not None:
            return over_since if promised is None else min(over_since, promised)
        if self._window_ends is None:
            return promised
        return max(promised or 0, self._window_ends + OVERDUE_MS)

    def take(self, data: dict[str, Any], said: dict[str, Any]) -> None:
        kind, at = data["kind"], data["at"]
        if kind == "match_created":
            self._promised, self._window = said["reveal_by"], said.get("window")
            self._at_once = said["reveal"] == "at_end" and not said["deal_group"]
            self._needs_all = (said.get("schedule") or {}).get("no_show") == "void"
        elif kind == "match_rewound":
            self._over_since = self._window_ends = None
        elif kind == "match_revealed":
            self._promised = self._window = self._window_ends = None
            self._at_once = False
        elif self._is_end(data, said):
            self._over_since = at if self._over_since is None else self._over_since
        is_put_off = kind in (*_ENDS, *_OF_DISPUTES, "presence_checked")
        if is_put_off and self._over_since is not None and self._window is not None:
            self._window_ends = max(self._window_ends or 0, at + self._window)

    def _is_end(self, data: dict[str, Any], said: dict[str, Any]) -> bool:
        match data["kind"]:
            case "dispute_ruled":
                if said["ruling"]["type"] == "forfeit":
                    self._out.add(said["ruling"]["seat"])
                return said["ruling"]["type"] in _ENDING
            case "presence_checked" if self._needs_all:
                return any(
                    when is None and seat not in self._out for seat, when in enumerate(said["seen"])
                )
            case "seat_resigned" | "flag_fell":
                self._out.add(data["seat"])
        return data["kind"] in _ENDS
