"""Group commit: appends that wait are committed together, and each gets its own answer."""

import asyncio
import random
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from time import monotonic, perf_counter
from typing import Generic, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from events.accept import accept, is_plain
from events.append import Answer, Append
from events.database import (
    Database,
    DatabaseContended,
    DatabaseFault,
    DatabaseFull,
    DatabaseUnreachable,
    SchemaAhead,
)
from events.flush import flush
from events.shards import Shards

CrashPoint = Callable[[str], None]
Outcome = Answer | Exception
Observer = Callable[[Sequence[Outcome], float], None]  # the answers of one commit, its seconds

BATCH = 64
ATTEMPTS = 6
FULL_SECONDS = 30.0  # how long nobody tries to append, and a database without room stays full
_PAUSE = 0.02  # seconds before the second attempt; doubles

A = TypeVar("A")
R = TypeVar("R")
T = TypeVar("T")
Way = Callable[[Sequence[Append]], Awaitable[Sequence[T]]]


def inert(_name: str) -> None:
    """The crash point that does nothing."""


def unobserved(_answers: Sequence[Outcome], _seconds: float) -> None:
    """The observer that does nothing."""


class Line(Generic[A, R]):
    """Askers wait in line; one worker serves as many at once as there are.

    `serve` answers in order, an exception being the answer of one asker. Of those with an equal
    `lane` (if there are lanes), each waits until the one before is answered. Nothing waits for
    company: whoever comes while the worker is busy is the next batch.
    """

    def __init__(
        self,
        serve: Callable[[Sequence[A]], Awaitable[Sequence[R | Exception]]],
        lane: Callable[[A], object] | None,
        most: int = BATCH,
    ) -> None:
        self._serve = serve
        self._lane = lane
        self._most = most
        self._waiting: deque[tuple[A, asyncio.Future[R]]] = deque()
        self._worker: asyncio.Task[None] | None = None

    async def ask(self, asked: A) -> R:
        """An asker that is cancelled leaves the line; once being served, it is served."""
        answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, answer))
        if self._worker is None:
            self._worker = asyncio.create_task(self._work())
        return await answer

    async def drained(self) -> None:
        """Returns when nobody waits."""
        while self._worker is not None:
            await asyncio.wait((self._worker,))

    async def _work(self) -> None:
        try:
            while self._waiting:
                await self._serve_some(self._next())
                # Those just answered may ask again before the next batch is taken.
                await asyncio.sleep(0)
        finally:
            self._worker = None

    def _next(self) -> list[tuple[A, asyncio.Future[R]]]:
        taken: list[tuple[A, asyncio.Future[R]]] = []
        passed: list[tuple[A, asyncio.Future[R]]] = []
        lanes: set[object] = set()
        while self._waiting and len(taken) < self._most:
            each = self._waiting.popleft()
            if each[1].done():
                continue
            lane = self._lane(each[0]) if self._lane else each[1]
            (passed if lane in lanes else taken).append(each)
            lanes.add(lane)
        self._waiting.extendleft(reversed(passed))
        return taken

    async def _serve_some(self, taken: list[tuple[A, asyncio.Future[R]]]) -> None:
        answers: Sequence[R | Exception]
        try:
            answers = await self._serve([asked for asked, _ in taken]) if taken else ()
        except Exception as error:
            answers = [error] * len(taken)
        except BaseException:
            for _, future in taken:
                future.cancel()
            raise
        for (_, future), answer in zip(taken, answers, strict=True):
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)


class Batcher:
    """The one way into the log for a process.

    An append whose outcome is unknown is run again on a new connection: its key makes that safe.
    """

    def __init__(
        self,
        database: Database,
        crash_at: CrashPoint = inert,
        most: int = BATCH,
        observe: Observer = unobserved,
    ) -> None:
        self._database = database
        self._crash_at = crash_at
        self._observe = observe
        self._shards = Shards(database) if database.is_cluster else None
        self._full_at: float | None = None
        self._can_accept = database.dialect == "postgresql" and not database.is_cluster
        self._line: Line[Append, Answer] = Line(self._commit, _match_of, most)

    async def append(self, append: Append) -> Answer:
        """Returns when the answer is durable.

        Raises: DatabaseFault; a SQLAlchemy error if the database refuses this very append.
        """
        return await self._line.ask(append)

    @property
    def is_full(self) -> bool:
        """Whether there was no room for an append just now, nor for one after it."""
        return self._full_at is not None and monotonic() - self._full_at < FULL_SECONDS

    async def drained(self) -> None:
        await self._line.drained()

    async def _commit(self, appends: Sequence[Append]) -> Sequence[Outcome]:
        """The short way for those that may take it; the long way for what is left."""
        began = perf_counter()
        plain = [each for each in appends if self._can_accept and is_plain(each)]
        accepted = zip(plain, await self._by(self._accept, plain), strict=True)
        outcomes: dict[str, Outcome] = {e.match_id: o for e, o in accepted if o is not None}
        left = [each for each in appends if each.match_id not in outcomes]
        for group in [left] if self._shards is None else await self._shards.grouped(left):
            flushed = await self._by(self._flush, group)
            outcomes.update(zip(map(_match_of, group), flushed, strict=True))
        answers = [outcomes[each.match_id] for each in appends]
        self._observe(answers, perf_counter() - began)
        return answers

    async def _by(self, way: Way[T], appends: Sequence[Append]) -> Sequence[T | Exception]:
        """Commits together, or finds the appends that stand in the way of the rest."""
        if not appends:
            return ()
        try:
            done = await self._persistently(way, appends)
            self._full_at = None
            return done
        except DatabaseFault as error:
            if isinstance(error, DatabaseFull):
                self._full_at = monotonic()
            # A statement that the schema refuses need not be that of all of them.
            if len(appends) == 1 or not isinstance(error, SchemaAhead):
                return [error] * len(appends)
        except Exception as error:
            if len(appends) == 1:
                return [error]
            if self._shards is not None:
                self._shards.forget()
        half = len(appends) // 2
        return [*await self._by(way, appends[:half]), *await self._by(way, appends[half:])]

    async def _persistently(self, way: Way[T], appends: Sequence[Append]) -> Sequence[T]:
        for attempt in range(ATTEMPTS):
            last = attempt == ATTEMPTS - 1
            try:
                return await way(appends)
            except (DatabaseUnreachable, DatabaseContended):
                if last:
                    raise
            except IntegrityError:
                # Somebody else may have stored the same: looking again gives the right answer.
                if len(appends) > 1 or attempt > 0:
                    raise
            # Jitter, so that processes that collided do not collide again.
            await asyncio.sleep(_PAUSE * 2**attempt * (0.5 + random.random()))  # noqa: S311
        raise AssertionError

    async def _accept(self, appends: Sequence[Append]) -> Sequence[Answer | None]:
        self._crash_at("before_commit")
        answers = await self._database.write_once(lambda connection: accept(connection, appends))
        self._crash_at("after_commit")
        return answers

    async def _flush(self, appends: Sequence[Append]) -> Sequence[Answer]:
        def work(connection: Connection) -> Sequence[Answer]:
            answers = flush(connection, appends)
            self._crash_at("before_commit")
            return answers

        answers = await self._database.write(work)
        self._crash_at("after_commit")
        return answers


def _match_of(append: Append) -> str:
    return append.match_id
