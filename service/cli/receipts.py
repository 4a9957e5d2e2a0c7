"""`plyscribe receipt check`: what `plyscribe verify` does, for who has documents first of all."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from service.cli.terminal import CannotDo
from service.cli.verifying import examined, is_wrong, told


def check(
    *files: Path,
    keys: str | None = None,
    log: Path | None = None,
    json: Annotated[bool, Parameter(negative="")] = False,
) -> int:
    """Check receipts, signed refusals, views, decisions and heads, without any service.

    As `plyscribe verify`, with the same answer: 1 if anything is wrong, a signature, two documents
    that contradict each other, or a log that is not the one that was signed; else 2 if a file
    can't be read.

    Parameters
    ----------
    files
        JSON, a line of JSON each, or answers as `curl -i` saves them: whatever holds documents.
    keys
        The service's keys, from `/.well-known/jwks.json`. Without them it stays open whose the
        signatures are.
    log
        A bundle; or events of the match from the first on with `proof=true`, best those of
        `perspective=full`, after the reveal.
    json
        The report as one line of JSON.
    """
    if not files:
        raise CannotDo("which files? plyscribe receipt check FILE...")
    summary = examined([*files, *([log] if log else [])], keys)
    if log is not None:
        own = next(each for each in summary.files if each.file == str(log))
        if own.match_id is None and own.kind == "evidence" and not is_wrong(summary):
            raise CannotDo(f"{log} is no log that can be checked")
    return told(summary, json)
