"""What a director does: a dispute that is settled during play, a result that is corrected."""

import asyncio
from typing import Any, Final

from service.cli.tournament.platform import Fixture, Platform

DISPUTES: Final = 2  # that are opened in an event
_ACCOUNT: Final = "arbiter"
_LOOK_SECONDS: Final = 0.2


async def dispute_in_play(platform: Platform, fixture: Fixture) -> None:
    """A dispute while the match runs: the play is held, the arbiter rules, and it goes on."""
    while True:
        now = await platform.api.get(_path(fixture), platform.director)
        if now["status"] not in ("seating", "running") or now["version"] > 10:
            break
        await asyncio.sleep(_LOOK_SECONDS)
    path = await _disputed(platform, fixture, "play", now["version"])
    review = {"pause": True, "account": _ACCOUNT}
    # 409: it was over before.
    await platform.api.post(path + "/review", platform.arbiter, review, "review", fine=(409,))
    await _ruled(platform, path, {"type": "note"}, "It was as the rules have it.")


async def correct(platform: Platform, fixture: Fixture) -> None:
    """A result that is found to be wrong once it is final: the last is the first."""
    while (ranks := _result(platform, fixture)) is None:
        await platform.told.changed(_LOOK_SECONDS)
    path = await _disputed(platform, fixture, "result", 1)
    worst = max(ranks)
    ruling = {"type": "set_result", "ranks": [worst + 1 - each for each in ranks]}
    review = {"pause": False, "account": _ACCOUNT}
    await platform.api.post(path + "/review", platform.arbiter, review, "review-result")
    await _ruled(platform, path, ruling, "The sheets were mixed up.")


def _result(platform: Platform, fixture: Fixture) -> list[int] | None:
    """The ranks of a final result as webhooks told it."""
    found = platform.told.newest.get(fixture.match_id)
    if found is None or found.status != "final":
        return None
    return [each or 0 for each in found.ranks]


async def _disputed(platform: Platform, fixture: Fixture, name: str, about: int) -> str:
    body = {"about": about, "claim": "It was not so.", "account": _ACCOUNT}
    path = _path(fixture) + "/disputes"
    made = await platform.api.post(path, platform.arbiter, body, key=f"dispute-{name}")
    return f"{path}/{made.body['id']}"


async def _ruled(platform: Platform, path: str, ruling: dict[str, Any], reason: str) -> None:
    body = {"ruling": ruling, "reason": reason, "account": _ACCOUNT}
    key = f"ruling-{ruling['type']}"
    await platform.api.post(path + "/rulings", platform.arbiter, body, key=key)
    close = {"account": _ACCOUNT}
    await platform.api.post(path + "/close", platform.arbiter, close, key=f"close-{key}")


def _path(fixture: Fixture) -> str:
    return f"/v1/matches/{fixture.match_id}"
