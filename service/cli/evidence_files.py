"""Files that somebody kept of matches: bundles, signed documents, logs, statements of the log."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from events.canonical import raw
from events.contradictions import Document
from events.evidence import EvidenceWrong, RefusalOf, ShownOf, body_digest, found_in, payload_of
from events.given_log import GivenLog, LogUnusable
from events.refused import is_opened
from events.statements import Statement
from events.zips import LARGEST
from service.cli.files import contents
from service.cli.terminal import CannotDo
from service.errors import Malformed
from service.repeated import refuse_repeated

HEADER: Final = "plyscribe-evidence:"
UNREADABLE: Final = "unreadable"
_ZIP: Final = b"PK"

T = TypeVar("T")


class Finding(msgspec.Struct, frozen=True):
    """What is wrong in a file: where in it, why, and a `code` for programs."""

    place: str
    code: str
    reason: str


class Kept(msgspec.Struct):
    """What a file of JSON holds. `limits` are what is in it and can't be used."""

    file: str
    documents: list[Document] = []
    faults: list[Finding] = []
    statements: list[Statement] = []
    log: GivenLog | None = None
    limits: list[str] = []


def is_bundle(path: Path) -> bool:
    """By its name, or by how it begins. Raises: OSError."""
    with path.open("rb") as file:
        return path.suffix == ".zip" or file.read(len(_ZIP)) == _ZIP


def bundle_bytes(path: Path) -> bytes:
    """Raises: CannotDo, OSError."""
    return contents(path, LARGEST)


def opened(path: Path, read: Callable[[Path], T]) -> T | Finding:
    """What is read of a file, or why it can't be: the others are still to be checked."""
    try:
        return read(path)
    except CannotDo as error:
        reason = str(error).removeprefix(f"{path}: ")
    except OSError as error:
        reason = error.strerror or type(error).__name__
    except RecursionError:
        reason = "is nested too deep"
    return Finding(str(path), UNREADABLE, reason)


def kept_in(path: Path) -> Kept:
    """All that a file holds of what can be checked, and what only looks like it.

    JSON, a line of JSON each, or an answer as `curl -i` saves it. Raises: CannotDo, OSError.
    """
    kept = Kept(str(path))
    entries: list[Any] = []
    never_refused = False
    for number, value in enumerate(_values(path), 1):
        place = f"{path}:{number}"
        for evidence, around in found_in(value):
            _take(kept, place, evidence, around)
        kept.statements += _statements(value)
        never_refused = never_refused or (isinstance(value, dict) and value.get("refusals") == [])
        entries += _entries(value)
    if any("proof" in each for each in entries):
        try:
            kept.log = GivenLog(entries)
        except LogUnusable as unusable:
            kept.limits.append(f"the events in {path}: {unusable}")
    is_empty = not (kept.documents or kept.statements or kept.log or kept.limits or kept.faults)
    if is_empty and not never_refused:
        reason = "there is no signed document in it, no log with proofs and no statement"
        kept.faults.append(Finding(str(path), "empty", reason))
    return kept


def _take(kept: Kept, place: str, evidence: Any, around: dict[str, Any]) -> None:
    """A document. A body that was kept beside it has to be what it says was shown."""
    try:
        payload = payload_of(evidence)
    except EvidenceWrong as wrong:
        kept.faults.append(Finding(place, "document", str(wrong)))
        return
    body, salt, move = around.get("body"), None, None
    is_body = isinstance(payload, ShownOf) and isinstance(body, str)
    if is_body and body_digest(str(body).encode()) != payload.body:  # type: ignore[union-attr]
        kept.faults.append(Finding(place, "body", "the body is not the one that was signed"))
        return
    if isinstance(payload, RefusalOf):
        given = around.get("salt")
        salt = given if given is None or isinstance(given, str) else ""  # which is no salt
        move = None if around.get("move") is None else raw(around["move"])
        if not is_opened(payload, salt, move):
            reason = "the move or the salt beside it are not what was signed"
            kept.faults.append(Finding(place, "refusal", reason))
            salt, move = None, None
    kept.documents.append(Document(evidence, payload, place, salt, move))


def _entries(value: Any) -> list[dict[str, Any]]:
    """Events, as pages or lines have them."""
    match value:
        case {"events": list(found)}:
            return [e for e in found if isinstance(e, dict) and isinstance(e.get("version"), int)]
        case {"kind": str(), "version": int()}:
            return [value]
    return []


def _statements(value: Any) -> Iterator[Statement]:
    """Statements of the log of all matches, as pages or lines have them."""
    match value:
        case {"statements": list(found)}:
            for each in found:
                yield from _statements(each)
        case {"position": int(), "statement": dict(said), "kid": str(), "signature": str()}:
            named = {name: value[name] for name in ("kid", "position", "signature")}
            yield Statement(**named, statement=raw(said))


def _values(path: Path) -> list[Any]:
    """The JSON values of a file. Raises: CannotDo."""
    data = _read(path)
    try:
        if data.startswith(b"HTTP/"):
            return [_answer(data.replace(b"\r\n\r\n", b"\n\n", 1))]
        try:
            return [_decoded(data)]
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return [_decoded(line) for line in data.splitlines() if line.strip()]
    except (msgspec.MsgspecError, UnicodeDecodeError):
        raise CannotDo(f"{path}: holds neither JSON nor a line of JSON each") from None
    except Malformed:
        raise CannotDo(f"{path}: a member of an object in it is given twice") from None


def _decoded(data: bytes) -> Any:
    """Raises: Malformed where a member comes twice; MsgspecError, UnicodeDecodeError."""
    value = msgspec.json.decode(data)
    refuse_repeated(data)
    return value


def _answer(data: bytes) -> Any:
    """An answer as `curl -i` saves it: what its header signs, and its body. Raises: Malformed."""
    head, _, body = data.partition(b"\n\n")
    found: dict[str, Any] = {"body": body.decode(errors="replace")}
    for line in head.decode("latin-1").splitlines():
        if line.lower().startswith(HEADER):
            try:
                found["evidence"] = _decoded(line[len(HEADER) :].strip().encode())
            except msgspec.MsgspecError:
                found["evidence"] = None
    if "evidence" not in found:
        try:
            return _decoded(body)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None
    return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CannotDo(f"{path}: {error.strerror}") from None
