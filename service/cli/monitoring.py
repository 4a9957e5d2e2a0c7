"""`plyscribe monitor`: follows the log of a service from outside and keeps what it saw."""

import os
import sys
import time
from pathlib import Path
from typing import Any, Final

import httpx
import msgspec

from events import notes
from events.merkle import HASH_BYTES
from events.monitor import Contradiction, Known, continued, grown, introduced, leaf_of, placed
from events.notes import Checkpoint, NoteWrong, opened_verifier_key
from events.tiles import WIDTH
from service.cli.configuration import Flag
from service.cli.files import contents, keep
from service.cli.terminal import CannotDo, say, write, write_json
from service.cli.verifying import trusted_keys

BROKEN = 1
VARIABLE: Final = "MONITOR_KEY"  # without the prefix of settings: those have to be the service's
_KEY_MOST: Final = 1000  # characters
PAGE: Final = 500
_SECONDS: Final = 30.0  # for one answer
_PATIENCE: Final = 5  # looks at a log that is shorter than before, a second apart


class Found(msgspec.Struct, frozen=True):
    """One look at the log. `evidence` are two signed notes that don't go together, if it is so."""

    ok: bool
    size: int
    entries: int
    reason: str | None
    unchecked: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()


def monitor(
    url: str,
    /,
    *,
    key: str | None = None,
    key_file: Path | None = None,
    state: Path = Path("plyscribe-monitor.json"),
    keys: str | None = None,
    every: float = 10.0,
    once: Flag = False,
    json: Flag = False,
) -> int:
    """Follow the log of a service, and the entries of one organisation in it.

    Checks that every signed root continues the one before, that each entry of the organisation is
    in the log, that the entries of a match continue each other, and that the service shows the same
    heads. What it saw is kept in a file, so it goes on where it was. Ends with 1 as soon as
    something does not go together, and tells the evidence; the file stays as it was before.

    Parameters
    ----------
    url
        Of the service: https://host.
    key
        An API key of the organisation, with matches:read. Whoever sees the processes of this
        machine sees it: rather put it into the variable MONITOR_KEY or a file.
    key_file
        The file, with the key alone in it; - is standard input.
    state
        The file; it is made by the first look, which also learns the name of the log.
    keys
        Whose log you trust, as for plyscribe verify. Else the first look believes the service.
    every
        Seconds between looks.
    once
        One look.
    json
        A line of JSON for each look.
    """
    headers = {"authorization": f"Bearer {_key(key, key_file)}"}
    with httpx.Client(base_url=url, headers=headers, timeout=_SECONDS, trust_env=False) as http:
        while True:
            found = _tried(http, state, keys, once=once)
            if found is not None:
                _tell(found, json)
            if found is not None and (once or not found.ok):
                return 0 if found.ok else BROKEN
            time.sleep(every)


def _tried(http: httpx.Client, state: Path, keys: str | None, *, once: bool) -> Found | None:
    """None if the service could not be asked; is that all there is to try, it raises CannotDo."""
    try:
        return _look(http, state, keys)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        what = f"{http.base_url}: {error or type(error).__name__}"
        if once:
            raise CannotDo(what) from None
        say(f"{what}; trying again")
        return None


def _key(given: str | None, file: Path | None) -> str:
    """Raises: CannotDo, which never repeats a key; OSError."""
    if given is not None and file is not None:
        raise CannotDo("the key: is in --key or in --key-file, not in both")
    if file is not None:
        given = (sys.stdin.read(_KEY_MOST) if str(file) == "-" else _text(file)).strip()
    found = given if given is not None else os.environ.get(VARIABLE, "")
    if not found:
        raise CannotDo(f"no API key: give --key-file FILE, or {VARIABLE}, or --key")
    if not (found.isascii() and found.isprintable()) or " " in found:
        raise CannotDo("the API key: is none")
    return found


def _text(file: Path) -> str:
    return contents(file, _KEY_MOST).decode("utf-8", "replace")


def _look(http: httpx.Client, state: Path, keys: str | None) -> Found:
    """Raises: CannotDo, httpx.HTTPError."""
    before = _known(http, state, keys)
    after, note, entries, limits = before, "", 0, []
    try:
        with_keys, checkpoint, note = _checkpoint(http, before)
        hashes = _hashes(http, before.size, checkpoint.size)
        after = grown(with_keys, checkpoint, note, hashes)
        moved = set()
        for entry in _entries(http, before.size, after.size):
            placed(hashes, before.size, entry["position"], leaf_of(entry))
            after, limit = continued(after, entry)
            moved.add(entry["match_id"])
            entries += 1
            limits += [limit] if limit else []
        for match_id in sorted(moved):
            _same_head(http, match_id, *after.matches[match_id])
    except (Contradiction, NoteWrong) as wrong:
        evidence = tuple(each for each in (before.note, note) if each)
        return Found(False, before.size, entries, str(wrong), tuple(limits), evidence)
    except (KeyError, TypeError, ValueError) as error:
        raise CannotDo(f"{http.base_url}: answers in another form than ours ({error!r})") from None
    _keep(state, after)
    return Found(True, after.size, entries, None, tuple(limits))


def _known(http: httpx.Client, state: Path, keys: str | None) -> Known:
    """What was kept, or the start of it. Raises: CannotDo."""
    if state.exists():
        try:
            return msgspec.json.decode(state.read_bytes(), type=Known)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            raise CannotDo(f"{state}: is not what plyscribe monitor keeps") from None
    told = _json(http, "/v1/log")
    if keys is None:
        trusted = tuple(opened_verifier_key(each)[1].hex() for each in told["verifier_keys"])
        return Known(told["origin"], trusted)
    given = trusted_keys(keys).keys
    named = {name for name, _ in given if name is not None}
    if named and told["origin"] not in named:
        raise CannotDo(f"--keys: is of another log than {told['origin']}")
    return Known(told["origin"], tuple(public.hex() for _, public in given))


def _checkpoint(http: httpx.Client, known: Known) -> tuple[Known, Checkpoint, str]:
    """The newest, with the keys that became known meanwhile. Raises: NoteWrong, Contradiction."""
    for _ in range(_PATIENCE):
        note = _got(http, "/v1/log/checkpoint").text
        try:
            checkpoint = _opened(note, known)
        except NoteWrong:
            # A key may have been replaced: the log says by whom the new one is vouched for.
            known = introduced(known, _json(http, "/v1/log/statements")["statements"])
            checkpoint = _opened(note, known)
        if checkpoint.size >= known.size:
            break
        time.sleep(1)  # Another process of the service may not know the newest one yet.
    return known, checkpoint, note


def _opened(note: str, known: Known) -> Checkpoint:
    """Raises: NoteWrong if no trusted key signed it."""
    for key in known.keys:
        try:
            return notes.opened(note, known.origin, bytes.fromhex(key))
        except NoteWrong:
            continue
    raise NoteWrong(f"none of the trusted keys signed the checkpoint as {known.origin}")


def _hashes(http: httpx.Client, start: int, size: int) -> list[bytes]:
    """The hashes of leaves `start` to `size` - 1, out of the tiles everybody may have."""
    found: list[bytes] = []
    for number in range(start // WIDTH, -(-size // WIDTH) if size > start else 0):
        width = min(WIDTH, size - number * WIDTH)
        tail = "" if width == WIDTH else f".p/{width}"
        data = _got(http, f"/v1/log/tile/0/{_name(number)}{tail}").content
        if len(data) != width * HASH_BYTES:
            raise Contradiction(
                f"tile {number} of the log has another size than the checkpoint says"
            )
        skipped = max(0, start - number * WIDTH)
        found += [data[at : at + HASH_BYTES] for at in range(0, len(data), HASH_BYTES)][skipped:]
    return found


def _name(number: int) -> str:
    """As tiles are named: `x001/x234/067`."""
    last = f"{number % 1000:03}"
    while number := number // 1000:
        last = f"x{number % 1000:03}/{last}"
    return last


def _entries(http: httpx.Client, after: int, upto: int) -> list[dict[str, Any]]:
    """The organisation's entries after a position, as far as the checkpoint goes."""
    found: list[dict[str, Any]] = []
    while True:
        page = _json(http, "/v1/feed", after=after, limit=PAGE)
        found += [each for each in page["entries"] if each["position"] <= upto]
        if page["after"] == after or page["after"] >= upto:
            return found
        after = page["after"]


def _same_head(http: httpx.Client, match_id: str, version: int, head: str) -> None:
    """Raises: Contradiction. A match that has moved on is in the log later."""
    told = _json(http, f"/v1/matches/{match_id}")
    if told["version"] == version and told["head"] != head:
        raise Contradiction(f"match {match_id}: the service shows another head than its log has")


def _keep(state: Path, known: Known) -> None:
    """All of it or nothing."""
    keep(state, msgspec.json.format(msgspec.json.encode(known)))


def _json(http: httpx.Client, path: str, **params: int) -> Any:
    return _got(http, path, **params).json()


def _got(http: httpx.Client, path: str, **params: int) -> httpx.Response:
    """Raises: CannotDo for a refusal, httpx.HTTPError for what may pass."""
    got = http.get(path, params=params)
    if got.status_code in (401, 403):
        raise CannotDo(f"{path}: the key may not read it ({got.status_code})")
    got.raise_for_status()
    return got


def _tell(found: Found, as_json: bool) -> None:
    if as_json:
        write_json(found)
        return
    if found.ok:
        write(f"{found.size} leaves, all consistent; {found.entries} new entries are in it")
    else:
        write(f"WRONG: {found.reason}")
        for note in found.evidence:
            write(note)
    for limit in found.unchecked:
        write(f"not checked: {limit}")
