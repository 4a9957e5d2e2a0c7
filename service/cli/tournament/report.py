"""What happened in an event and whether it held, as a table or as JSON."""

from collections import Counter

import msgspec

from service.cli.terminal import plain_table, say, show
from service.cli.tournament.audit import Audit, Check
from service.cli.tournament.bots import Temper
from service.cli.tournament.flags import charged_outages
from service.cli.tournament.keeper import Keeper
from service.cli.tournament.platform import Platform
from service.cli.tournament.stage import Performed
from service.cli.tournament.swiss import totals

_SHOWN = 8  # lines of the standings


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """What happened, by the logs where they say so, and whether it held.

    `terminals` counts ends of matches by their code, those that were corrected too.
    """

    seed: int
    seconds: float
    facts: dict[str, int]
    terminals: dict[str, int]
    standings: list[tuple[str, int]]
    champion: str
    checks: list[Check]

    @property
    def ok(self) -> bool:
        return all(each.ok for each in self.checks)


def report(performed: Performed) -> Report:
    """The audit is made here."""
    audit = Audit(performed.evidence)
    checks, given = audit.checks(), audit.given
    points = totals(given.players, given.swiss, audit.results)
    codes = Counter(code for said in audit.said.values() for _, code in said.codes)
    final = given.ties[-1] if given.ties else None
    return Report(
        seed=performed.seed,
        seconds=round(performed.seconds, 1),
        facts=_facts(performed.platform, performed.keeper, audit),
        terminals=dict(sorted(codes.items())),
        standings=sorted(points.items(), key=lambda each: (-each[1], each[0])),
        champion="" if final is None else given.winners.get(final.series_id) or "nobody",
        checks=checks,
    )


def show_report(told: Report) -> None:
    table = plain_table(None, "tournament", f"seed {told.seed}, {told.seconds:.0f} s")
    for name, count in told.facts.items():
        table.add_row(name, str(count))
    ends = ", ".join(f"{count} {code}" for code, count in told.terminals.items())
    table.add_row("ends of matches", ends)
    table.add_row("winner of the bracket", told.champion)
    show(table)
    best = plain_table(None, "standings of the Swiss", "points")
    for player, points in told.standings[:_SHOWN]:
        best.add_row(player, str(points))
    show(best)
    held = plain_table(None, "what has to hold", "", "")
    for each in told.checks:
        held.add_row(each.name, "holds" if each.ok else "DIFFERS", "\n".join(each.wrong))
    show(held)
    say("everything holds" if told.ok else "something differs")


def _facts(platform: Platform, keeper: Keeper, audit: Audit) -> dict[str, int]:
    kinds = Counter(each["kind"] for events in audit.given.logs.values() for each in events)
    count, tempers = platform.receiver.count, Counter(platform.tempers.values())
    return {
        "matches": len(audit.given.fixtures),
        "moves": kinds["move_played"],
        "requests": platform.api.requests,
        "requests asked again": platform.api.again,
        "kills": keeper.kills,
        "seconds without a service": sum(e.until - e.since for e in keeper.outages) // 1000,
        "outages given back": kinds["time_credited"],
        "no-shows": tempers[Temper.ABSENT],
        "players who never moved": tempers[Temper.AWAY],
        "flags": kinds["flag_fell"],
        "flags of players who were playing": sum(
            platform.tempers.get((match_id, flag.seat)) is Temper.PLAYS
            for match_id, flag in audit.flags
        ),
        "ms of outages charged to a flag, at most": max(
            (charged_outages(each, keeper.outages) for _, each in audit.flags), default=0
        ),
        "disputes": kinds["dispute_opened"],
        "rulings": kinds["dispute_ruled"],
        "deliveries of webhooks": count.deliveries,
        "deliveries that failed": count.failed,
        "messages that came again": count.repeated,
        "messages about results": len(platform.messages),
    }
