"""The check of what is signed in a bundle: by which keys, the proof, and an arbiter's refusals."""

from typing import Final

import msgspec

from events.bundle import KEYS, REFUSALS, STATEMENTS, Bundle
from events.canonical import canonical
from events.contradictions import Document, against, refused_wrongly
from events.evidence import EvidenceWrong, RefusalOf, verify
from events.known_log import of_bundle
from events.legality import Verdict
from events.refused import chained, is_opened
from events.signing import KeySet, SignatureWrong
from events.statements import Fork
from events.trust import Trusted, check_keys, check_proof
from events.zips import BundleRefused
from games.core.game import ALL

NO_PROOF: Final = "that it is in the log of all matches: there is no proof in the bundle"
NO_KEY: Final = "whose the refusals' signatures are: no key for receipts is trusted"


def check_signed(found: Verdict, bundle: Bundle, trusted: Trusted | None) -> Verdict:
    """The verdict on a sound log with what is signed in its bundle. Raises: BundleRefused."""
    checked, limits = found.checked, found.unchecked
    if bundle.proof or bundle.refusals:
        own = check_keys(bundle)
        trusted = _following(bundle, trusted)
    elif bundle.keys or bundle.statements:
        raise BundleRefused(KEYS if bundle.keys else STATEMENTS, "are of no proof")
    if bundle.proof:
        limits = (*limits, *check_proof(bundle, own, trusted))
        checked = (*checked, "proof")
    else:
        limits = (*limits, NO_PROOF)
    if bundle.refusals:
        limits = (*limits, *_check_refusals(bundle, own, trusted))
        checked = (*checked, "refusals")
    return msgspec.structs.replace(found, checked=checked, unchecked=limits)


def refusals_of(bundle: Bundle, place: str = REFUSALS) -> tuple[Document, ...]:
    """The refusals of an arbiter's bundle as documents. Raises: ValueError."""
    said = chained(bundle.refusals, bundle.created.match_id, bundle.created.seats)
    return tuple(
        Document(kept.evidence, payload, f"{place}:{number}", kept.salt, kept.move)
        for number, (kept, payload) in enumerate(zip(bundle.refusals, said, strict=True), 1)
    )


def _following(bundle: Bundle, trusted: Trusted | None) -> Trusted | None:
    """Raises: BundleRefused."""
    try:
        return None if trusted is None else trusted.following(bundle.statements)
    except Fork as fork:
        raise BundleRefused(STATEMENTS, str(fork)) from None


def _check_refusals(bundle: Bundle, own: Trusted, trusted: Trusted | None) -> tuple[str, ...]:
    """What can't be told of them. Raises: BundleRefused."""
    if bundle.viewer != ALL:
        raise BundleRefused(REFUSALS, "are for arbiters, in a full bundle")
    try:
        documents = refusals_of(bundle)
    except ValueError as error:
        raise BundleRefused(REFUSALS, str(error)) from None
    for each in documents:
        _check_signature(each, own.receipts)
        if trusted is not None and any(trusted.receipts):
            _check_signature(each, trusted.receipts)
        assert isinstance(each.payload, RefusalOf)
        if not is_opened(each.payload, each.salt, each.move):
            raise BundleRefused(REFUSALS, f"another move was submitted ({each.place})")
    log = of_bundle(REFUSALS, bundle)
    wrong, limits = refused_wrongly(documents, log)
    for found in (*against(documents, log), *wrong):
        raise BundleRefused(REFUSALS, f"{found.reason} ({found.places[0]})")
    is_open = trusted is not None and not any(trusted.receipts)
    return (*limits, *([NO_KEY] if is_open else []))


def _check_signature(document: Document, keys: KeySet) -> None:
    """Raises: BundleRefused."""
    payload = document.payload
    assert isinstance(payload, RefusalOf)
    try:
        verify(document.evidence, keys)
        if canonical(payload) != bytes(document.evidence.payload):
            raise EvidenceWrong("its payload is not canonical")
    except (EvidenceWrong, SignatureWrong) as wrong:
        name = f"refusal {payload.number} of seat {payload.seat}"
        raise BundleRefused(REFUSALS, f"{name}: {wrong}") from None
