"""Places in lists, told as texts that nobody makes up: each serves one list of one caller alone."""

from base64 import urlsafe_b64decode, urlsafe_b64encode

from service.errors import Fault, ParameterInvalid
from service.vault import Vault


def sealed(vault: Vault, place: str, bound_to: bytes) -> str:
    return urlsafe_b64encode(vault.signed(place.encode(), bound_to)).decode().rstrip("=")


def opened(vault: Vault, given: str | None, bound_to: bytes, *, name: str) -> str | None:
    """The place, None if nothing is given. `name` is the parameter it came by.

    Raises: ParameterInvalid.
    """
    if given is None:
        return None
    try:
        signed = urlsafe_b64decode(given + "=" * (-len(given) % 4))
    except ValueError:
        signed = b""
    place = vault.unsigned(signed, bound_to)
    if place is None:
        raise ParameterInvalid(Fault(name, "unknown-cursor", "is not a cursor of this list"))
    return place.decode()
