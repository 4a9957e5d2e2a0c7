"""Files that commands are given, and those that they make."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from service.cli.terminal import CannotDo


def contents(path: Path, most: int) -> bytes:
    """All of a file; of one with more than `most` bytes, whatever it says of its size, no more is
    read. Raises: CannotDo, OSError.
    """
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise CannotDo(f"{path}: has more than {most} bytes")
    return data


def make(path: Path, data: bytes) -> None:
    """A new file; one that is there already, also since a moment ago, stays as it is.

    Raises: CannotDo, OSError.
    """
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise CannotDo(f"{path}: is there already") from None


def keep(path: Path, data: bytes) -> None:
    """A file that is whole under its name whenever anything breaks off, its owner's alone.

    It takes the place of one that is there; one that holds the same stays. Returns when it is on
    the disk and reads as it was given. Raises: CannotDo, OSError.
    """
    if path.is_file() and contents(path, len(data)) == data:
        return
    handle, part = part_of(path)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if part.read_bytes() != data:
            raise CannotDo(f"{part}: does not read as it was written")
        part.rename(path)
        keep_name(path.parent)
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def part_of(path: Path) -> tuple[int, Path]:
    """A new file beside `path`, open, its owner's alone. Raises: OSError, which names `path`."""
    try:
        handle, name = tempfile.mkstemp(".part", f"{path.name}.", path.parent)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    return handle, Path(name)


def keep_name(folder: Path) -> None:
    """The name of a new file lies in its folder."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
