"""An organisation's matches in files: an index and a bundle for each, in a folder or one zip."""

import os
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Protocol

import msgspec

from events.canonical import canonical
from events.zips import LARGEST
from service.cli.files import contents
from service.cli.terminal import CannotDo
from service.ids import match_id_in

FORMAT: Final = "plyscribe/export/1"
INDEX: Final = "index.json"
# All that zipfile raises for a file that is damaged, encrypted or of a kind it does not know (the
# last two are RuntimeErrors).
UNREADABLE: Final = (zipfile.BadZipFile, RuntimeError, ValueError)


class ExportedSeat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Whom the holder of a seat stands for outside. Who holds which seat is in the log."""

    seat: int
    holder: str
    account: str | None


class ExportedMatch(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of a match beside its bundle; `sha256` is that of the file. `seats` are those
    with an account.

    `seed` (hex) is there for a match that is not revealed.
    """

    match_id: str
    sha256: str
    external_id: str | None = None
    seats: tuple[ExportedSeat, ...] = ()
    seed: str | None = None

    @property
    def file(self) -> str:
        return f"{self.match_id}.zip"


class Index(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`skipped` are matches that were left out, by id, each with the reason."""

    format: str
    org: str
    name: str
    matches: tuple[ExportedMatch, ...]
    skipped: dict[str, str] = {}


class Files(Protocol):
    """The files of an export, by name."""

    def read(self, name: str) -> bytes: ...


class Writer(Protocol):
    """Where the files of an export go."""

    def write(self, name: str, data: bytes) -> None: ...


@contextmanager
def created(path: Path) -> Iterator[Writer]:
    """A new export, which is at its place when all of it is written, readable by its owner alone.

    A zip if the name ends so, else a folder. Raises: CannotDo, OSError.
    """
    if path.exists():
        raise CannotDo(f"{path}: is there already")
    part = path.with_name(path.name + ".part")
    if part.exists():
        raise CannotDo(f"{part}: is there, from an export that broke off; remove it first")
    if not path.parent.is_dir():
        raise CannotDo(f"{path.parent}: is no folder")
    try:
        if path.suffix == ".zip":
            own = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(own, "wb") as out, zipfile.ZipFile(out, "w") as archive:
                yield _ZipWriter(archive)
        else:
            part.mkdir(0o700)
            yield _FolderWriter(part)
        part.rename(path)
    finally:
        if part.is_dir():
            shutil.rmtree(part)
        else:
            part.unlink(missing_ok=True)


@contextmanager
def opened(path: Path) -> Iterator[tuple[Index, Files]]:
    """An export that is there. Raises: CannotDo, OSError."""
    if path.is_dir():
        folder = _Folder(path)
        yield _index(path, folder), folder
        return
    try:
        archive = zipfile.ZipFile(path)
    except UNREADABLE as error:
        raise CannotDo(f"{path}: is no zip ({error})") from None
    with archive:
        files = _Zip(path, archive)
        yield _index(path, files), files


def encoded(index: Index) -> bytes:
    return canonical(index)


class _FolderWriter:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, name: str, data: bytes) -> None:
        (self._folder / name).write_bytes(data)


class _ZipWriter:
    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive

    def write(self, name: str, data: bytes) -> None:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = 0o100600 << 16
        self._archive.writestr(entry, data)


class _Folder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> bytes:
        """Raises: CannotDo."""
        place = self._folder / name
        if place.is_symlink() or not place.is_file():
            raise CannotDo(f"{place}: is missing or no file")
        return contents(place, LARGEST)


class _Zip:
    """Nothing is unpacked to disk, and nothing that is not stored as it is."""

    def __init__(self, path: Path, archive: zipfile.ZipFile) -> None:
        self._path, self._archive = path, archive
        names = archive.namelist()
        if len(set(names)) != len(names):
            raise CannotDo(f"{path}: holds a file twice")

    def read(self, name: str) -> bytes:
        """Raises: CannotDo."""
        try:
            entry = self._archive.getinfo(name)
            is_plain = entry.compress_type == zipfile.ZIP_STORED
            if is_plain and entry.file_size == entry.compress_size <= LARGEST:
                return self._archive.read(entry)
        except KeyError:
            pass
        except (*UNREADABLE, OSError) as error:
            raise CannotDo(f"{self._path}: {name} can't be read ({error})") from None
        raise CannotDo(f"{self._path}: {name} is missing, compressed or too large")


def _index(path: Path, files: Files) -> Index:
    """Raises: CannotDo."""
    try:
        index = msgspec.json.decode(files.read(INDEX), type=Index)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        raise CannotDo(f"{path}: its {INDEX} can't be read") from None
    ids = [each.match_id for each in index.matches]
    if index.format != FORMAT:
        raise CannotDo(f"{path}: is of the format {index.format!r}, known is {FORMAT}")
    if any(match_id_in(each) is None for each in ids) or len(set(ids)) != len(ids):
        raise CannotDo(f"{path}: its {INDEX} names a match twice, or what is no match")
    return index
