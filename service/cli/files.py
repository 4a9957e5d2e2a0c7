"""Files that commands are given, and those that they make."""

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
