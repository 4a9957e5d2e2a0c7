"""`plyscribe verify`: bundles checked offline, each by itself and against each other."""

from pathlib import Path

import msgspec

from events.bundle import perspective_of
from events.forks import Fork, forks, unjoined
from events.trust import Trusted, trusted_in
from events.verify_bundle import Checked, verify_bundle
from events.zips import LARGEST
from service.cli.configuration import Flag
from service.cli.terminal import CannotDo, say, write, write_json

BROKEN = 1


class Verdict(msgspec.Struct, frozen=True):
    """What is said of one file. `place` is where the first fault is: an event or a member."""

    file: str
    ok: bool
    match_id: str | None
    perspective: str | None
    events: int | None
    head: str | None
    place: str | None
    code: str | None
    reason: str | None
    checked: tuple[str, ...]
    unchecked: tuple[str, ...]


class Summary(msgspec.Struct, frozen=True):
    """`forks` are files that can't both be true; `unchecked` is what all of them leave open."""

    ok: bool
    files: tuple[Verdict, ...]
    forks: tuple[Fork, ...]
    unchecked: tuple[str, ...]


def verify(
    *files: Path,
    keys: str | None = None,
    json: Flag = False,
) -> int:
    """Check bundles of matches offline, and several of one match against each other.

    Says of each file whether all of it holds, or the first place where it does not; and apart from
    that what can't be checked from its perspective. Exits with 1 if anything is wrong, with 2 if
    it can't be read.

    Parameters
    ----------
    files
        Bundles, as GET /v1/matches/{match}/bundle gives them.
    keys
        Whose log you trust: a file with a JWK set or verifier keys, or a verifier key itself.
    json
        One JSON object about all of them.
    """
    if not files:
        raise CannotDo("which files? plyscribe verify FILE...")
    trusted = None if keys is None else trusted_keys(keys)
    found = {str(path): verify_bundle(bundle_bytes(path), trusted) for path in files}
    summary = _summary(found)
    if json:
        write_json(summary)
    else:
        _tell(summary)
    return 0 if summary.ok else BROKEN


def bundle_bytes(path: Path) -> bytes:
    """Raises: CannotDo, OSError."""
    if path.stat().st_size > LARGEST:
        raise CannotDo(f"{path}: has more than {LARGEST} bytes")
    return path.read_bytes()


def fault_of(checked: Checked) -> str:
    """Where and why, in one line."""
    assert checked.fault is not None
    return f"{checked.place}: {checked.fault.reason} ({checked.fault.code})"


def trusted_keys(keys: str) -> Trusted:
    """Out of a file, or of a verifier key itself. Raises: CannotDo, OSError."""
    path = Path(keys)
    try:
        return trusted_in(path.read_bytes() if path.exists() else keys.encode())
    except ValueError as error:
        raise CannotDo(f"--keys: {error}") from None


def _summary(found: dict[str, Checked]) -> Summary:
    sound = {name: each.bundle for name, each in found.items() if each.is_sound and each.bundle}
    files = tuple(_verdict(name, each) for name, each in found.items())
    forked = forks(sound)
    ok = not forked and all(each.ok for each in files)
    return Summary(ok, files, forked, unjoined(sound))


def _verdict(name: str, checked: Checked) -> Verdict:
    fault, bundle = checked.fault, checked.bundle
    return Verdict(
        file=name,
        ok=fault is None,
        match_id=None if bundle is None else bundle.created.match_id,
        perspective=None if bundle is None else perspective_of(bundle.viewer),
        events=None if bundle is None else len(bundle.events),
        head=bundle.hashes[-1].hex() if bundle and bundle.hashes else None,
        place=None if fault is None else checked.place,
        code=None if fault is None else fault.code,
        reason=None if fault is None else fault.reason,
        checked=checked.checked,
        unchecked=checked.unchecked,
    )


def _tell(summary: Summary) -> None:
    for each in summary.files:
        verdict = "all that can be checked holds" if each.ok else f"WRONG at {each.place}"
        write(f"{each.file}: {verdict}")
        if each.match_id is not None:
            write(f"  match {each.match_id}, {each.perspective}, {each.events} events")
        if each.head is not None:
            write(f"  head {each.head}")
        if each.reason is not None:
            write(f"  wrong: {each.place}: {each.reason} ({each.code})")
        if each.checked:
            write(f"  checked: {', '.join(each.checked)}")
        for limit in each.unchecked:
            write(f"  not checked: {limit}")
    for fork in summary.forks:
        write(f"FORK: {fork.one} and {fork.other}: {fork.reason}")
    for limit in summary.unchecked:
        write(f"not checked: {limit}")
    say("nothing is wrong" if summary.ok else "it does not hold")
