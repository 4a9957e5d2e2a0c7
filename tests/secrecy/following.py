"""One case played in step in two services, everything the viewer receives compared."""

import asyncio
from collections.abc import Iterable
from random import Random
from uuid import UUID

import msgspec

from games.core.game import SPECTATOR
from games.core.moves import Wire
from games.core.walk import seeded
from tests.secrecy.channels import Known, at_once, logged, now_and_then, streams
from tests.secrecy.door import Asked, Got, Listening
from tests.secrecy.moments import Case
from tests.secrecy.planning import Pair, Plan, Planned, plan
from tests.secrecy.worlds import KEY, NOON, Opening, World

HORIZON = 6
OFTEN = 0.25  # of the steps after which more than the usual is asked
SHARE = 0.6  # of what is asked then

Worlds = tuple[World, World]


class Interference(AssertionError):
    """Something that a viewer received told two worlds apart."""


class Followed(msgspec.Struct):
    """`compared` counts answers. A case is dropped if no step had a counterpart to play, and cut
    short if a later one had none.
    """

    steps: int = 0
    differing: int = 0  # steps with another move here than there
    compared: int = 0
    is_dropped: bool = False
    is_short: bool = False
    is_trivial: bool = False  # nothing is hidden from the viewer


async def follow(
    worlds: Worlds, case: Case, horizon: int = HORIZON, by: "type[Following] | None" = None
) -> Followed:
    """`by` plays what is planned. Raises: Interference."""
    rng = seeded(f"{case.name}/play")
    done = Followed()
    made = plan(case, horizon, rng)
    done.is_dropped = made is None or not (made.steps or made.first.after.is_closed)
    if made is None:
        return done
    done.is_short = not made.is_whole
    done.is_trivial = made.case.is_trivial
    following = (by or Following)(worlds, made.case, rng, done)
    await following.open(made.first)
    try:
        await following.play(made)
    finally:
        await following.close()
    return done


class Following:
    """Plays a plan in both worlds and asks for everything after each step."""

    def __init__(self, worlds: Worlds, case: Case, rng: Random, done: Followed) -> None:
        self._worlds = worlds
        self._case = case
        self._rng = rng
        self._done = done
        self._known = Known()
        self._heard: list[tuple[Asked, list[Listening]]] = []
        self._match = Opening(_id_of(case), case.game, case.options, case.seats)
        self._token = self._match.token(case.viewer)

    async def open(self, first: Planned) -> None:
        states = (self._case.here, self._case.there)
        for world, script, state in zip(self._worlds, first.scripts, states, strict=True):
            world.begin(self._case.name, script)
            await world.open(self._match, state)
        for asked in streams(self._match, self._case.viewer):
            heard = [world.door.stream(asked) for world in self._worlds]
            self._heard.append((asked, heard))

    async def play(self, made: Plan) -> None:
        await self._look(made.first.after, "the opening")
        for number, planned in enumerate(made.steps):
            await self._step(planned, number)
            self._done.steps += 1
            self._done.differing += planned.moves[0] != planned.moves[1]
            await self._look(planned.after, str(planned))
        await self._hear_out()

    async def _hear_out(self) -> None:
        """What the streams said all the while."""
        for asked, heard in self._heard:
            for each in heard:
                await each.until(self._known.version)
            got = [await each.close() for each in heard]
            self._compare(asked, got[0], got[1], "at the end")

    async def close(self) -> None:
        for _, heard in self._heard:
            for each in heard:
                await each.close()

    async def _step(self, planned: Planned, number: int) -> None:
        name = f"{self._case.name}/{number}"
        own = planned.seat == self._case.viewer
        decision = await self._decision(planned)
        asked = [self._request(planned, wire, decision, name) for wire in planned.moves]
        await self._maybe_noise()
        for world, script in zip(self._worlds, planned.scripts, strict=True):
            world.begin(name, script)
        got = [await w.door.ask(each) for w, each in zip(self._worlds, asked, strict=True)]
        if [each.status for each in got] != [200, 200]:
            raise Interference(f"{self._case}: {planned} is answered {got[0]} / {got[1]}")
        await self._maybe_noise()
        if own:
            self._compare(asked[0], got[0], got[1], str(planned))
            self._remember(planned, name)

    def _remember(self, planned: Planned, name: str) -> None:
        if planned.kind == "play":
            self._known.closed, self._known.answered = self._known.decision, planned.moves[0]
        elif planned.kind == "aside":
            self._known.said = (planned.moves[0], name)

    def _request(self, planned: Planned, wire: Wire, decision: str | None, name: str) -> Asked:
        path, key = self._match.path, ((b"idempotency-key", name.encode()),)
        token = self._match.token(planned.seat)
        match planned.kind:
            case "cancel":
                return Asked("POST", f"{path}/cancel", KEY, None, key)
            case "resign":
                return Asked("POST", f"{path}/seats/{planned.seat}/resign", token, None, key)
            case "aside":
                return Asked("POST", f"{path}/moves", token, _body(None, wire), key)
        return Asked("POST", f"{path}/moves", token, _body(decision, wire))

    async def _decision(self, planned: Planned) -> str | None:
        if planned.kind != "play":
            return None
        current = await self._worlds[0].parts.cache.load(self._match.match_id)
        assert current is not None
        return current.decision_of(planned.seat)

    async def _look(self, pair: Pair, after: str) -> None:
        """Ask for everything in both worlds."""
        got = await self._ask(at_once(self._match, self._case.viewer, self._known), after)
        self._learn(got)
        if self._rng.random() < OFTEN or pair.is_closed:
            more = now_and_then(self._case, self._match, pair, self._known, self._rng)
            await self._ask([each for each in more if self._rng.random() < SHARE], after)
            await self._look_at_the_log(after)

    async def _look_at_the_log(self, after: str) -> None:
        """It is brought up to now in both worlds first: when it would be by itself is chance."""
        sizes = [await each.caught_up() for each in self._worlds]
        if sizes[0] != sizes[1]:
            raise Interference(f"{self._case} after {after}: the feed came to {sizes}")
        self._known.positions = (self._known.positions[1], sizes[0])
        await self._ask(logged(self._match, self._case.viewer, self._known), after)

    async def _ask(self, all_asked: Iterable[Asked], after: str) -> dict[str, Got]:
        """All at once, which costs a fraction of one by one."""
        every = list(all_asked)
        doors = [world.door for world in self._worlds]
        got = await asyncio.gather(*(door.ask(asked) for door in doors for asked in every))
        for asked, here, there in zip(every, got, got[len(every) :], strict=False):
            self._compare(asked, here, there, after)
        return {
            f"{asked.path} {asked.token}": here for asked, here in zip(every, got, strict=False)
        }

    def _learn(self, got: dict[str, Got]) -> None:
        path, token = self._match.path, self._token
        view = got[f"{path}/view {token}"]
        self._known.tag = dict(view.headers)[b"etag"]
        self._known.version = view.json()["version"]
        if self._case.viewer != SPECTATOR:
            own = got[f"{path}/decision {token}"].json()["decision"]
            self._known.decision = own and own["id"]

    def _compare(self, asked: Asked, here: Got, there: Got, after: str) -> None:
        self._done.compared += 1
        if here != there or here.status >= 500:
            raise Interference(f"{self._case} after {after}\n{asked}\n{here}\n{there}")

    async def _maybe_noise(self) -> None:
        """In one world alone, others look and are refused, or it forgets what it keeps at hand.

        The viewer must not notice.
        """
        if self._rng.random() >= OFTEN:
            return
        if self._rng.random() < OFTEN:
            self._rng.choice(self._worlds).forget()
        world, path = self._rng.choice(self._worlds), self._match.path
        others = [seat for seat in range(self._match.seats) if seat != self._case.viewer]
        token = self._match.token(self._rng.choice(others)) if others else KEY
        wrong = _body("9.9", {"type": "noise"})
        for asked in (
            Asked("GET", f"{path}/view", token),
            Asked("GET", f"{path}/events?proof=true", token),
            Asked("POST", f"{path}/moves", token, wrong),
            Asked("POST", f"{path}/moves/validate", token, {"decision": None, "move": {}}),
            Asked("GET", f"{path}/decision/moves", token),
        ):
            await world.door.ask(asked)
        await asyncio.sleep(0)


def _body(decision: str | None, move: Wire) -> dict[str, object]:
    return {"decision": decision, "move": move}


def _id_of(case: Case) -> str:
    """A version 7 UUID of the case's own, later than those of cases before it."""
    digest = seeded(case.name).getrandbits(62)
    number = int(case.name.rsplit("/", 1)[-1])
    return str(UUID(int=(NOON + number) << 80 | 7 << 76 | 2 << 62 | digest))
