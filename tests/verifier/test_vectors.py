"""The vectors of both documents, as the second verifier makes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.events.test_log_format import OFFER
from tests.verifier.node import needs_node, run

pytestmark = needs_node

ROOT = Path(__file__).parents[2]
SCRIPT = Path(__file__).parent / "vectors.mjs"
# Nothing public makes them: signatures are checked instead, and the others are what was signed.
SECRET = {"secret key", "verifier key", "seat key", "consistency of 2 and 3"}


def block(document: str, name: str) -> str:
    return (ROOT / "docs" / document).read_text("utf-8").split(f"```{name}\n")[1].split("```")[0]


def vectors(document: str, name: str) -> dict[str, str]:
    return dict(line.split(" = ", 1) for line in block(document, name).strip().splitlines())


@pytest.fixture(scope="module")
def made() -> Any:
    log = vectors("log-format.md", "vectors")
    stored = (ROOT / "tests" / "logs" / "high_card_four_seats.jsonl").read_text().splitlines()
    lines = [json.loads(line) for line in stored]
    given = {
        "all": vectors("auditing.md", "vectors"),
        "proof": block("auditing.md", "tlog-proof"),
        "evidence": vectors("auditing.md", "evidence"),
        "first": {name: lines[0][name] for name in ("body", "salt", "facets")},
        "eighth": lines[7]["body"],
        "offer": OFFER,
        "seed": log["seed"],
    }
    done = run(SCRIPT, stdin=json.dumps(given).encode())
    assert done.stderr == b""
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    ("of", "document", "name"),
    [
        ("log", "log-format.md", "vectors"),
        ("all", "auditing.md", "vectors"),
        ("evidence", "auditing.md", "evidence"),
    ],
)
def test_every_vector_comes_out_as_it_is_written(
    made: Any, of: str, document: str, name: str
) -> None:
    told, found = vectors(document, name), dict(made[of])
    assert all(found.pop("holds", [True]))
    signatures = {each for each in told if each.startswith("signature of")}
    assert set(told) - set(found) == signatures | (SECRET & set(told))
    assert found == {name: told[name] for name in found}
