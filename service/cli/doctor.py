"""`plyscribe doctor`: what keeps the service from running well, and what to do about it."""

import asyncio

import msgspec

from service.cli.configuration import DataDir, Flag, configured
from service.cli.examining import Finding, Status, findings
from service.cli.terminal import write, write_json

UNWELL = 1


class Report(msgspec.Struct, frozen=True):
    """`ok`: nothing failed; there may be warnings."""

    ok: bool
    checks: tuple[Finding, ...]


def doctor(*, json: Flag = False, database_url: str | None = None, data_dir: DataDir = None) -> int:
    """Check database, schema, clocks, keys, roles, matches, Redis, disk and open files.

    Nothing is changed, and the service may run meanwhile. Run it with the environment of the
    service. Exits with 1 if a check failed; warnings are none.

    Parameters
    ----------
    json
        One JSON object.
    database_url
        The service's own database if left out.
    data_dir
        Where the SQLite file and the key file are.
    """
    settings = configured(database_url=database_url, data_dir=data_dir)
    found = asyncio.run(findings(settings))
    report = Report(all(each.status is not Status.FAILED for each in found), tuple(found))
    if json:
        write_json(report)
    else:
        for each in found:
            remedy = f": {each.remedy}" if each.remedy else ""
            write(f"{each.status.value:<8} {each.check:<9} {each.found}{remedy}")
    return 0 if report.ok else UNWELL
