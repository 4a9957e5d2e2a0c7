"""Webhooks sent by this process: queued from the feed, tried when due, and what came of it noted.

Every process has one, and each delivery is tried by one of them at a time. Whoever dies between
sending and noting has sent it; it is sent again under the same id, so a receiver can tell.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Final

from sqlalchemy import Connection

from events.batching import CrashPoint
from events.database import Database
from service import traces
from service.keeping_up import Follower
from service.logs import Logger
from service.reaching import Reply, Unreached, reach
from service.rounds import News, Rounds, jittered, pause_after
from service.settings import Settings
from service.signals import WEBHOOKS
from service.signing_keys import SigningKeys
from service.vault import Vault, VaultLocked
from service.webhooks import deliveries, rows, signing
from service.webhooks.deliveries import Attempt, Delivery
from service.webhooks.messages import CONSUMER, Queue
from service.webhooks.rows import Hook

AT_ONCE: Final = 4  # to one webhook, in one process
OF_ORG: Final = 16  # to all webhooks of an organisation
AT_ALL: Final = 256
_LOOKED_AT: Final = 32  # due deliveries of one webhook
_FIRST_PAUSE: Final = 5  # seconds without asking a busy receiver anything; doubles
_LONGEST_PAUSE: Final = 600
_BUSY: Final = (429, 503)
_LONGEST_ASKED: Final = 86_400  # seconds, whatever a receiver asks for
_SWEEP_SECONDS: Final = 60.0


class Delivering:
    """`queue` makes deliveries; `running` sends them. `news` rings when the feed has grown."""

    def __init__(
        self,
        database: Database,
        keys: SigningKeys,
        vault: Vault,
        settings: Settings,
        clock: Callable[[], int],
        crash_at: CrashPoint,
        log: Logger,
        news: News,
    ) -> None:
        self.queue = Queue(lambda: keys.origin, clock)
        self._follower = Follower(database, CONSUMER, self.queue.take, clock, log)
        self._database = database
        self._keys = keys
        self._vault = vault
        self._settings = settings
        self._clock = clock
        self._crash_at = crash_at
        self._log = log
        self._rounds = Rounds[tuple[Hook, Delivery]]("webhooks", news, log, settings.tick_seconds)
        self._swept_at = float("-inf")

    def stir(self) -> None:
        """Something became due here."""
        self._rounds.stir()

    def running(self) -> AbstractAsyncContextManager[None]:
        """What is on its way at the end is sent again by whoever comes next."""
        return self._rounds.running(self._once)

    async def _once(self) -> None:
        await self._follower.catch_up()
        await self._begin_due()
        loop = asyncio.get_running_loop()
        if loop.time() - self._swept_at >= _SWEEP_SECONDS:
            self._swept_at = loop.time()
            for hook in await self._database.read(deliveries.all_hooks):
                await self._database.write(lambda c, hook=hook: _forget(c, hook))  # type: ignore[misc]

    async def _begin_due(self) -> None:
        """Begin what is due, as much of it as goes on at once."""
        picked = self._within_bounds(await self._database.read(self._due))
        if not picked:
            return
        # Longer than an attempt can take, even if a clock goes wrong a little.
        until = self._clock() + int(2000 * self._settings.webhook_seconds)
        hooks = {delivery.id: hook for hook, delivery in picked}
        won = await self._database.write(lambda c: _claimed(c, picked, until))
        self._crash_at("webhook_claimed")
        for each in won:
            hook = hooks[each.id]
            self._rounds.begin(self._send(hook, each), (hook, each))

    def _due(self, connection: Connection) -> list[tuple[Hook, Delivery]]:
        """The webhooks with the fewest on their way come first; of a busy one there is one at a
        time, and none while it is left alone.
        """
        now = self._clock()
        ids = deliveries.due_hooks(connection, now)
        found = []
        for hook in rows.named(connection, ids) if ids else []:
            if hook.paused_until > now:
                continue
            most = 1 if hook.strain else _LOOKED_AT
            due = deliveries.due(connection, hook.id, now, most)
            found += [(number, hook, each) for number, each in enumerate(due)]
        return [(hook, each) for _, hook, each in sorted(found, key=lambda each: each[0])]

    def _within_bounds(self, due: list[tuple[Hook, Delivery]]) -> list[tuple[Hook, Delivery]]:
        """No slow webhook, and no organisation with many of them, holds up the others.

        Of one match, one message after the other, as long as each arrives.
        """
        sending = self._rounds.going
        of_hook = Counter(hook.id for hook, _ in sending)
        of_org = Counter(hook.org for hook, _ in sending)
        matches = {(hook.id, each.match_id) for hook, each in sending if each.match_id}
        picked: list[tuple[Hook, Delivery]] = []
        for hook, each in due:
            if len(sending) + len(picked) >= AT_ALL:
                break
            is_free = of_hook[hook.id] < AT_ONCE and of_org[hook.org] < OF_ORG
            if not is_free or (hook.id, each.match_id) in matches:
                continue
            of_hook[hook.id] += 1
            of_org[hook.org] += 1
            if each.match_id is not None:
                matches.add((hook.id, each.match_id))
            picked.append((hook, each))
        return picked

    async def _send(self, hook: Hook, delivery: Delivery) -> None:
        if hook.disabled is not None:  # by another process, at the moment it was queued
            now = self._clock()
            await self._database.write(lambda c: deliveries.abandon(c, hook.id, now))
            return
        with traces.delivery(delivery.match_id, delivery.body) as span:
            attempt, asked = await self._attempt(hook, delivery)
            span.set_attribute(traces.ATTEMPT, delivery.attempts)
            span.set_attribute(traces.OUTCOME, attempt.outcome)
        WEBHOOKS.labels(attempt.outcome).inc()
        self._crash_at("webhook_sent")
        now, pause = self._clock(), pause_after(delivery.attempts)
        left_alone = now + round(1000 * _left_alone(hook.strain))

        def work(connection: Connection) -> None:
            # The webhook before the delivery, as whoever claims one has them.
            if attempt.outcome == "delivered" and hook.strain:
                rows.eased(connection, hook)
            elif attempt.outcome == "busy" or (hook.strain and attempt.outcome != "gone"):
                rows.strained(connection, hook, left_alone, now + 1000 * asked)
            match attempt.outcome:
                case "delivered":
                    deliveries.delivered(connection, delivery, attempt, now)
                case "gone":
                    deliveries.gone(connection, delivery, attempt, now)
                case _:
                    deliveries.failed(connection, delivery, attempt, now, pause)

        await self._database.write(work)

    async def _attempt(self, hook: Hook, delivery: Delivery) -> tuple[Attempt, int]:
        """And for how many seconds the receiver asks not to be sent anything."""
        loop = asyncio.get_running_loop()
        at, began, status, asked = self._clock(), loop.time(), None, 0
        try:
            answer = await self._answer(hook, delivery, at)
            status, asked = answer.status, min(answer.retry_after or 0, _LONGEST_ASKED)
            outcome = _outcome(status)
        except Unreached as error:
            outcome = error.reason
        except VaultLocked:
            outcome = "secret not readable"
        except Exception as error:  # A fault of ours counts like one of theirs.
            self._log.error("message_not_sent", match_id=delivery.match_id, exc_info=error)
            outcome = "unsendable"
        return Attempt(at, int(1000 * (loop.time() - began)), status, outcome), asked

    async def _answer(self, hook: Hook, delivery: Delivery, at: int) -> Reply:
        """Its body is not looked at. Raises: Unreached, VaultLocked."""
        body = delivery.body
        signed = signing.headers(self._vault, self._keys, hook, delivery.message_id, body, at)
        return await reach(
            "POST",
            hook.url,
            seconds=self._settings.webhook_seconds,
            allow_private=self._settings.private_webhooks,
            headers={
                "content-type": "application/json",
                "user-agent": "plyscribe-webhooks",
                **signed,
            },
            body=body,
        )


def _claimed(
    connection: Connection, picked: list[tuple[Hook, Delivery]], until: int
) -> list[Delivery]:
    """Those that are ours to try."""
    ours = []
    for hook, each in sorted(picked, key=lambda pair: pair[0].id):
        if not hook.strain or rows.tries(connection, hook, until):
            ours.append(each)
    return deliveries.claimed(connection, ours, until)


def _forget(connection: Connection, webhook_id: str) -> None:
    if rows.find(connection, webhook_id) is None:  # Queued at the moment it was removed.
        deliveries.remove(connection, webhook_id)
    else:
        deliveries.forget(connection, webhook_id)


def _left_alone(strain: int) -> float:
    """Seconds, after so many tries in a row with a receiver that was busy."""
    return jittered(min(_FIRST_PAUSE << min(strain, 16), _LONGEST_PAUSE))


def _outcome(status: int) -> str:
    if 200 <= status < 300:
        return "delivered"
    if status == 410:
        return "gone"
    if status in _BUSY:
        return "busy"
    return "redirect" if 300 <= status < 400 else "refused"
