"""A case played in step with takebacks, disputes, rulings and rewinds in between.

Arbiters rule without looking, but for a forced move, which the log calls a look.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from games.core.game import SPECTATOR, Seat
from service.graphql.ids import MATCH, node_id
from tests.secrecy.door import Asked
from tests.secrecy.following import Following, Interference
from tests.secrecy.planning import Pair, Plan, Planned, _resigning
from tests.secrecy.worlds import KEY

GOING_ON = (("rewind", "redraw"), ("rewind", "force_move"), ("redraw", "rewind"))
ENDING = ("set_result", "void", "replay", "forfeit", "replace_seat")
ASKING_BACK = 0.6  # of the steps that are asked back at once
DISPUTED = """
query($match: MatchRef!) {
  match(match: $match) {
    status takeback { id seat move open refused owed }
    disputes { id seat about stage pause appealed claim ruledAt ruling reason }
    replay(first: 50) { steps { version inPlay event view } }
  }
}
"""


class Reached(msgspec.Struct, frozen=True):
    """Where both worlds have been: the version, how many planned steps led there."""

    version: int
    steps: int
    pair: Pair


class Disputing(Following):
    """Every position of the plan may come back, and the plan then goes on from there.

    `_line` is the line of play: where it was after each step that stands.
    """

    async def play(self, made: Plan) -> None:
        self._plan = made
        self._acts = 0
        self._draws: tuple[Any, Any] = ({}, {})
        self._remembered(made.first)
        await self._look(made.first.after, "the opening")
        self._line = [self._here(0, made.first.after)]
        kinds = GOING_ON[self._number % len(GOING_ON)]
        at = await self._play_on(0)
        for kind in kinds:
            if not self._line[-1].pair.is_closed:
                at = await self._play_on(await self._ruled(kind, at), to_the_end=kind == kinds[-1])
        await self._ruled(ENDING[self._number % len(ENDING)], at)
        await self._hear_out()

    @property
    def _number(self) -> int:
        """That of the case: one after the other, cases see every kind of ruling."""
        return int(self._case.name.rsplit("/", 1)[-1])

    async def _play_on(self, at: int, *, to_the_end: bool = False) -> int:
        """Some steps of the plan from there on, some of them taken back and played once more.

        A step by which the match ends is left out unless it may come `to_the_end`.
        """
        steps = self._plan.steps
        last = self._rng.randint(at, len(steps))
        while at < last and not self._line[-1].pair.is_closed:
            if steps[at].after.is_closed and not to_the_end:
                break
            await self._played(steps[at], at)
            if self._rng.random() < ASKING_BACK and await self._taken_back(steps[at]):
                self._line.pop()
                await self._look(self._line[-1].pair, f"{steps[at]} taken back")
                await self._played(steps[at], at)
            at += 1
        return at

    async def _played(self, planned: Planned, at: int) -> None:
        self._acts += 1
        await self._step(planned, 1000 + self._acts)
        self._remembered(planned)
        self._done.steps += 1
        self._done.differing += planned.moves[0] != planned.moves[1]
        await self._look(planned.after, str(planned))
        self._line.append(self._here(at + 1, planned.after))

    async def _taken_back(self, planned: Planned) -> bool:
        """Whether all consented."""
        path = f"{self._match.path}/takebacks"
        asked = await self._do(path, planned.seat)
        if asked is None:
            return False
        await self._look_at_disputes(planned.after, "a takeback")
        for seat in range(self._match.seats):
            if seat == planned.seat or seat in planned.after.resigned:
                continue
            consents = self._rng.random() < 0.8
            answer = "consent" if consents else "refuse"
            if await self._do(f"{path}/{asked['id']}/{answer}", seat) is None:
                return False  # With one seat fewer to ask there is nothing to take back.
            await self._look_at_disputes(planned.after, f"a takeback, {answer}")
            if not consents:
                return False
        return True

    async def _ruled(self, kind: str, at: int) -> int:
        """A dispute of any party, ruled on in that way; how many steps of the plan stand then."""
        pair = self._line[-1].pair
        opener = self._rng.choice([SPECTATOR, *range(self._match.seats)])
        path = f"{self._match.path}/disputes"
        opened = await self._do(path, opener, {"about": self._known.version, "claim": "No"})
        if opened is None:
            return at
        self._dispute = f"{path}/{opened['id']}"
        await self._look_at_disputes(pair, "a dispute")
        pause = self._rng.random() < 0.5
        await self._do(f"{self._dispute}/review", SPECTATOR, {"pause": pause})
        await self._look_at_disputes(pair, "a review")
        bodies, scripts, after = self._ruling(kind, at)
        bodies_of = [{"ruling": each, "reason": "So"} for each in bodies]
        done = await self._do(f"{self._dispute}/rulings", SPECTATOR, *bodies_of, scripts=scripts)
        if done is None:
            await self._do(f"{self._dispute}/rulings", SPECTATOR, _NOTE)
            after = Reached(0, at, pair)
        await self._look(after.pair, f"the ruling {bodies[0]}")
        kept = [each for each in self._line if each.steps < after.steps]
        self._line = [*kept, self._here(after.steps, after.pair)]
        await self._look_at_disputes(after.pair, f"the ruling {bodies[0]}")
        await self._appealed(after.pair, kind)
        return after.steps

    async def _appealed(self, pair: Pair, kind: str) -> None:
        if self._rng.random() < 0.5:
            seat = self._rng.randrange(self._match.seats)
            await self._do(f"{self._dispute}/appeal", seat, {"reason": "Why"})
            await self._do(f"{self._dispute}/review", SPECTATOR, {"pause": False})
            await self._do(f"{self._dispute}/rulings", SPECTATOR, _NOTE)
        else:
            await self._do(f"{self._dispute}/close", SPECTATOR, {})
        await self._look_at_disputes(pair, f"the end of a dispute, ruled {kind}")

    def _ruling(self, kind: str, at: int) -> tuple[tuple[Any, Any], Any, Reached]:
        """What is ruled in each world, the draws that follow, and where both are then."""
        here, seats = self._line[-1], self._match.seats
        closed = msgspec.structs.replace(here.pair, is_closed=True)
        following = self._plan.steps[at] if at < len(self._plan.steps) else None
        ruling: Any = {"type": kind}
        match kind:
            case "rewind":
                goal = self._rng.choice(self._line)
                return _same({**ruling, "to": goal.version}), None, goal
            case "redraw" if self._labels():
                label, goal = self._rng.choice(self._labels())
                return _same({**ruling, "label": label}), None, goal
            case "force_move" if following is not None and following.kind == "play":
                first, second = (
                    {**ruling, "seat": following.seat, "move": m} for m in following.moves
                )
                after = Reached(0, at + 1, following.after)
                return (first, second), following.scripts, after
            case "forfeit":
                resigned = _resigning(self._case, here.pair, self._rng)
                if resigned is not None:
                    ruling["seat"] = resigned.seat
                    return _same(ruling), resigned.scripts, Reached(0, at, resigned.after)
            case "replace_seat" if others := [s for s in range(seats) if s != self._case.viewer]:
                seat = self._rng.choice(others)
                ruling |= {"seat": seat, "account": f"eve-{seat}"}
                return _same(ruling), None, Reached(0, at, here.pair)
            case "set_result":
                ranks = [1 + place for place in range(seats)]
                return _same({**ruling, "ranks": ranks}), None, Reached(0, at, closed)
            case "void" | "replay":
                return _same(ruling), None, Reached(0, at, closed)
        return _same({"type": "note"}), None, Reached(0, at, here.pair)

    def _labels(self) -> list[tuple[str, Reached]]:
        """What was drawn in the line of play, and where that led to."""
        drawn = [self._plan.first, *self._plan.steps]
        return [
            (label, each) for each in self._line for label in sorted(drawn[each.steps].scripts[0])
        ]

    def _remembered(self, planned: Planned) -> None:
        for drawn, script in zip(self._draws, planned.scripts, strict=True):
            drawn.update(script)

    def _here(self, steps: int, pair: Pair) -> Reached:
        return Reached(self._known.version, steps, pair)

    async def _do(
        self, path: str, seat: Seat, *bodies: Any, scripts: Any = None
    ) -> dict[str, Any] | None:
        """One request in both worlds; its answer, None for a refusal, which is the same in both.

        The key acts as an arbiter. Draws come again as they came before.
        """
        self._acts += 1
        name = f"{self._case.name}/act/{self._acts}"
        for number, world in enumerate(self._worlds):
            script = dict(self._draws[number])
            script.update({} if scripts is None else scripts[number])
            self._draws[number].update(script)
            world.begin(name, script)
        token = KEY if seat == SPECTATOR else self._match.token(seat)
        key = ((b"idempotency-key", name.encode()),)
        sent = [bodies[0], bodies[-1]] if bodies else [None, None]
        asked = [Asked("POST", path, token, body, key) for body in sent]
        got = [await w.door.ask(each) for w, each in zip(self._worlds, asked, strict=True)]
        if got[0].status != got[1].status:
            raise Interference(f"{self._case}: {asked[0]} is answered {got[0]} / {got[1]}")
        if seat == self._case.viewer:
            self._compare(asked[0], got[0], got[1], "it acted")
        return got[0].json() if got[0].status in (200, 201) else None

    async def _look_at_disputes(self, pair: Pair, after: str) -> None:
        await self._ask(self._disputed(), after)
        if self._rng.random() < 0.3:
            await self._look(pair, after)

    def _disputed(self) -> Iterator[Asked]:
        path, version = self._match.path, self._known.version
        own = getattr(self, "_dispute", f"{path}/disputes/1")
        variables = {"match": {"id": node_id(MATCH, self._match.match_id)}}
        for token in dict.fromkeys((self._token, self._match.behind)):
            yield Asked("GET", f"{path}/takebacks", token)
            yield Asked("GET", f"{path}/disputes", token)
            yield Asked("GET", own, token)
            yield Asked("GET", f"{path}/replay?limit=200", token)
            yield Asked("GET", f"{path}/events?proof=true&after={max(0, version - 2)}", token)
            yield Asked("GET", f"{path}/bundle", token)
            yield Asked("GET", f"{path}/refusals?limit=200", token)
            yield Asked("POST", "/graphql", token, {"query": DISPUTED, "variables": variables})
            if token == KEY:  # An arbiter's look would be an event.
                continue
            yield Asked("GET", f"{own}/report", token)
            yield Asked("GET", f"{own}/report?to={max(1, version - 4)}", token)
            yield Asked("GET", f"{path}/view?as=0&at={max(1, version - 1)}", token)
            yield Asked("GET", f"{path}/bundle?perspective=seat:0", token)
        for later in self._line[-2:]:
            yield Asked("GET", f"{path}/view?at={max(1, later.version)}", self._token)


_NOTE = {"ruling": {"type": "note"}, "reason": "So"}


def _same(ruling: Any) -> tuple[Any, Any]:
    return ruling, ruling
