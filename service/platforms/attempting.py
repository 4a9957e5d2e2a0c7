"""One attempt to tell a platform something: the adapter's requests, one after the other."""

from collections.abc import Iterable, Iterator
from typing import Final
from urllib.parse import quote, quote_plus

import msgspec

from service.platforms.adapters import ADAPTERS
from service.platforms.connections import Account
from service.platforms.told import Call, Ended, Outcome, Stopped, Target, Told
from service.reaching import Reply, Unreached, reach
from service.settings import Settings

MOST_CALLS: Final = 6
MOST_ANSWER: Final = 256 * 1024  # bytes
DETAIL_LENGTH: Final = 200
_SECRET: Final = ("authorization", "x-api-key")  # headers


class Attempt:
    """`status` is that of the last answer, `unreached` why there was none in the end, `retry_after`
    (seconds) what the last answer asked for.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.status: int | None = None
        self.unreached: str | None = None
        self.retry_after: int | None = None

    async def made(self, account: Account, told: Told, to: Target, ours: tuple[Told, ...]) -> Ended:
        """`detail` holds nothing that was told in confidence, by or to either side."""
        secrets = set(msgspec.structs.astuple(to.credentials))
        ended = await self._ended(account, told, to, ours, secrets)
        return msgspec.structs.replace(ended, detail=_clean(ended.detail, secrets))

    async def _ended(
        self, account: Account, told: Told, to: Target, ours: tuple[Told, ...], secrets: set[str]
    ) -> Ended:
        steps = ADAPTERS[account.platform].report(told, to, ours)
        reply: Reply | None = None
        try:
            for _ in range(MOST_CALLS + 1):
                call = next(steps) if reply is None else steps.send(reply)
                # A token that was fetched by the first of them is as secret as what is stored.
                secrets.update(_secrets_in(call))
                self.status = self.retry_after = None
                reply = await self._reply(call)
                self.status, self.retry_after = reply.status, reply.retry_after
        except StopIteration as stop:
            ended: Ended = stop.value
            return ended
        except Stopped as stopped:
            return stopped.ended
        except Unreached as error:
            self.unreached = error.reason
            return Ended(Outcome.UNAVAILABLE)
        raise AssertionError("an adapter that does not end")

    async def _reply(self, call: Call) -> Reply:
        """Raises: Unreached."""
        return await reach(
            call.method,
            call.url,
            seconds=self._settings.webhook_seconds,
            most=MOST_ANSWER,
            allow_private=self._settings.private_webhooks,
            headers={"user-agent": "plyscribe-results", **call.headers},
            body=call.body,
        )


def _secrets_in(call: Call) -> Iterator[str]:
    for name in _SECRET:
        _, _, secret = call.headers.get(name, "").rpartition(" ")
        yield secret


def _clean(detail: str, secrets: Iterable[str]) -> str:
    """What a platform said in so many words, without any of the secrets, however it spells them."""
    # First, or what is dropped between its letters would make a secret whole again.
    said = "".join(each for each in detail if each.isprintable())
    spelt = {form(each) for each in secrets if each for form in (str, quote, quote_plus)}
    for secret in sorted(spelt, key=len, reverse=True):
        said = said.replace(secret, "…")
    return said[:DETAIL_LENGTH]
