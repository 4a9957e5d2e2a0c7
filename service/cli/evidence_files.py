"""Files with signed documents and with logs: JSON, a line each, or an answer with its headers."""

from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec

from events.contradictions import Document
from events.evidence import EvidenceWrong, ShownOf, body_digest, found_in, payload_of
from events.given_log import GivenLog, LogUnusable
from events.signing import KeySet, SignatureWrong
from service.cli.terminal import CannotDo

HEADER: Final = "plyscribe-evidence:"

Found: TypeAlias = tuple[list[Document], list[str]]  # documents, and what is wrong with others


def documents_in(path: Path) -> Found:
    """Every signed document in a file, and what can't be one though it looks like it.

    A body that was kept beside its document (as `body`, or below its headers) has to be what the
    document says was shown. Raises: CannotDo.
    """
    documents: list[Document] = []
    faults: list[str] = []
    for number, value in enumerate(_values(path), 1):
        place = f"{path}:{number}"
        for evidence, around in found_in(value):
            try:
                payload = payload_of(evidence)
            except EvidenceWrong as wrong:
                faults.append(f"{place}: {wrong}")
                continue
            body = around.get("body")
            is_other = isinstance(body, str) and isinstance(payload, ShownOf)
            if is_other and body_digest(str(body).encode()) != payload.body:  # type: ignore[union-attr]
                faults.append(f"{place}: the body is not the one that was signed")
                continue
            documents.append(Document(evidence, payload, place))
    return documents, faults


def log_in(path: Path) -> GivenLog:
    """The log of one match out of pages or lines of events. Raises: CannotDo."""
    entries: list[Any] = []
    for value in _values(path):
        if isinstance(value, dict) and isinstance(value.get("events"), list):
            entries += value["events"]
        elif isinstance(value, dict) and "kind" in value:
            entries.append(value)
    try:
        return GivenLog(entries)
    except LogUnusable as unusable:
        raise CannotDo(f"{path} is no log that can be checked: {unusable}") from None


def keys_in(path: Path) -> KeySet:
    """Raises: CannotDo."""
    try:
        return KeySet.of_jwks(_read(path))
    except SignatureWrong:
        raise CannotDo(f"{path} is no set of keys (/.well-known/jwks.json)") from None


def _values(path: Path) -> list[Any]:
    """The JSON values of a file. Raises: CannotDo."""
    data = _read(path)
    if data.startswith(b"HTTP/"):
        return [_answer(data.replace(b"\r\n\r\n", b"\n\n", 1))]
    try:
        return [msgspec.json.decode(data)]
    except msgspec.MsgspecError:
        pass
    try:
        return [msgspec.json.decode(line) for line in data.splitlines() if line.strip()]
    except msgspec.MsgspecError:
        raise CannotDo(f"{path} holds neither JSON nor a line of JSON each") from None


def _answer(data: bytes) -> Any:
    """An answer as `curl -i` saves it: what its header signs, and its body."""
    head, _, body = data.partition(b"\n\n")
    found: dict[str, Any] = {"body": body.decode(errors="replace")}
    for line in head.decode("latin-1").splitlines():
        if line.lower().startswith(HEADER):
            try:
                found["evidence"] = msgspec.json.decode(line[len(HEADER) :].strip())
            except msgspec.MsgspecError:
                found["evidence"] = None
    if "evidence" not in found:
        try:
            return msgspec.json.decode(body)
        except msgspec.MsgspecError:
            return None
    return found


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CannotDo(f"{path}: {error.strerror}") from None
