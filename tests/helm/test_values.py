"""Every value is described, defaulted and checked; what does not go together is refused."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import yaml

from service.settings import VARIABLES
from tests.helm.rendering import CHART, REQUIRED, Json, helm, rendered

SCHEMA: Json = msgspec.json.decode((CHART / "values.schema.json").read_bytes())
DEFAULTS: Json = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
# What has values, references or options of its own in the chart, or is for tests.
OTHERWISE = {
    *("DATA_DIR", "DATABASE_URL", "HOST", "PORT", "METRICS_PORT", "WORKERS", "ROLE"),
    *("SECRET_KEY", "ADMIN_KEY", "REDIS_URL", "GAME_TABLES", "GRAPHQL_OPERATIONS", "TEST_CRASH_AT"),
}


def leaves(schema: Json, path: str = "") -> Iterator[str]:
    """Every value by its path; a map of free names is one value, and so are settings."""
    properties = schema.get("properties")
    if not properties or path == "settings":
        yield path
        return
    for name, each in properties.items():
        yield from leaves(each, f"{path}.{name}" if path else name)


def test_every_value_has_a_line_in_the_readme() -> None:
    rows = [line for line in (CHART / "README.md").read_text("utf-8").splitlines()
            if line.startswith("| `")]  # fmt: skip
    described = {name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert described == set(leaves(SCHEMA)) - {"global"}


def test_every_value_has_a_default() -> None:
    for path in set(leaves(SCHEMA)) - {"global"}:
        value: Any = DEFAULTS
        for name in path.split("."):
            assert name in value, path
            value = value[name]


def test_settings_are_those_of_the_service() -> None:
    assert set(SCHEMA["properties"]["settings"]["properties"]) == set(VARIABLES) - OTHERWISE


def test_the_chart_has_the_version_of_the_program() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    project = (CHART.parents[1] / "pyproject.toml").read_text("utf-8")
    assert f'\nversion = "{chart["appVersion"]}"\n' in project


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({}, "/database/existingSecret"),
        ({"replica": 3}, "replica"),
        ({"settings": {"SECRET_KEY": "ab" * 32}}, "SECRET_KEY"),
        ({"settings": {"LOG_LEVLE": "info"}}, "LOG_LEVLE"),
        ({"image": {"digest": "latest"}}, "/image/digest"),
        ({"ingress": {"enabled": True}}, "/ingress/host"),
        ({"metrics": {"port": 8000}}, "/metrics/port"),
        ({"web": {"processes": 0}}, "/web/processes"),
        ({"worker": {"replicas": 0}}, "/worker/replicas"),
        ({"settings": {"ROLE": "web"}}, "ROLE"),
        ({"terminationGracePeriodSeconds": 20}, "at least drainSeconds"),
        ({"web": {"autoscaling": {"enabled": True, "maxReplicas": 1}}}, "autoscaling.minReplicas"),
        (
            {"web": {"autoscaling": {"enabled": True}, "resources": {"requests": None}}},
            "requests.cpu",
        ),
    ],
)
def test_what_can_not_work_is_refused_with_its_name(values: Json, said: str) -> None:
    given = values and {**REQUIRED, **values}
    with pytest.raises(helm().HelmError) as refused:
        rendered(given)
    assert said in str(refused.value)
