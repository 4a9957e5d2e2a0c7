"""Builds of the service that are changed before they start: impatient, or broken on purpose.

What a suite must find is shown by a build that does it. Each is the `build` of a service.
"""

from functools import partial

from events import batching, engines, store
from events.database import Database


def impatient() -> None:
    """Gives statements a second and appends two attempts, so that tests need not wait long."""
    Database.open = staticmethod(partial(Database.open, patience=1))  # type: ignore[method-assign]
    batching.ATTEMPTS = 2


def waiting_for_no_standby() -> None:
    """A commit is answered before a standby has it: as with asynchronous replication."""
    impatient()
    engines.PLANNING["synchronous_commit"] = "local"


def repeating_what_it_reads() -> None:
    """What is in the database counts as stored, whether a standby has it or not."""
    impatient()
    vars(store)["locked"] = lambda _connection, _ids: {}
