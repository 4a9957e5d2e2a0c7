"""The alerts, run by Prometheus' own evaluator over the samples of tests/helm/alerting.py."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from tests.helm.alerting import CASES, GONE, MINUTE, Case, Values
from tests.helm.rendering import CHART, EVERYTHING, only, rendered
from tests.helm.test_watching import expressions
from tests.promtool import needs_promtool, promtool

Json = dict[str, Any]

STEP = "30s"
FILE = yaml.safe_load((CHART / "files" / "alerts.yaml").read_text("utf-8"))
# The rules as they are, where nobody knows the labels of a release.
ANYWHERE = {**EVERYTHING, "metrics": {"prometheusRule": {"enabled": True}}}


def installed(values: Json) -> Json:
    """The rules as the chart installs them."""
    spec: Json = only(rendered(values), "PrometheusRule")["spec"]
    return spec


def rules_in(spec: Json) -> list[Json]:
    return [rule for group in spec["groups"] for rule in group["rules"]]


def found(folder: Path, spec: Json, cases: Iterable[Case]) -> str:
    """What is wrong with the alerts by those cases; nothing if all is right."""
    rules = {each["alert"]: each for each in rules_in(spec)}
    tests = [formed(each, rules) for each in together(cases)]
    (folder / "rules.yaml").write_bytes(msgspec.json.encode(spec))
    told = {"rule_files": ["rules.yaml"], "evaluation_interval": STEP, "tests": tests}
    (folder / "cases.yaml").write_bytes(msgspec.json.encode(told))
    done = promtool(folder, "test", "rules", "cases.yaml")
    assert (done.returncode == 0) is ("FAILED" not in done.stdout + done.stderr), done.stderr
    return "" if done.returncode == 0 else done.stdout + done.stderr


def together(cases: Iterable[Case]) -> list[list[Case]]:
    """Cases that have no metric in common share a database, which is filled and asked once."""
    shared: list[list[Case]] = []
    for case in sorted(cases, key=length, reverse=True):
        free = (each for each in shared if not metrics(case) & set().union(*map(metrics, each)))
        first = next(free, None)
        if first is None:
            shared.append([case])
        else:
            first.append(case)
    return shared


def metrics(case: Case) -> set[str]:
    return {name.partition("{")[0] for name in case.series}


def length(case: Case) -> int:
    return max(map(len, case.series.values()))


def formed(cases: Iterable[Case], rules: Mapping[str, Json]) -> Json:
    """Cases in promtool's form: looked at with each sample."""
    return {
        "interval": STEP,
        "input_series": [
            {"series": name, "values": written(values)}
            for case in cases
            for name, values in case.series.items()
        ],
        "alert_rule_test": [
            {
                "eval_time": f"{30 * at}s",
                "alertname": case.alert,
                "exp_alerts": [*due(case, rules[case.alert], at)],
            }
            for case in cases
            for at in range(length(case))
            if at >= case.looked * MINUTE
        ],
    }


def written(values: Values) -> str:
    return " ".join(
        "_" if value is None else "stale" if math.isnan(value) else f"{value:g}" for value in values
    )


def due(case: Case, rule: Json, at: int) -> Iterator[Json]:
    """What fires at a sample, with its texts as they are shown."""
    if case.since is not None and case.since <= at / MINUTE < case.until:
        labels = {**case.labels, **rule["labels"]}
        texts = {name: filled(text, labels) for name, text in rule["annotations"].items()}
        yield {"exp_labels": labels, "exp_annotations": texts}


def filled(text: str, labels: Mapping[str, str]) -> str:
    return re.sub(r"{{ \$labels\.(\w+) }}", lambda found: labels[found[1]], text)


def changed(spec: Json, expression: str) -> Json:
    """The same rules with another expression for each."""
    other = deepcopy(spec)
    for rule in rules_in(other):
        rule["expr"] = expression
    return other


def test_every_alert_has_a_case_in_which_it_fires_and_one_in_which_it_does_not() -> None:
    names = {rule["alert"] for rule in rules_in(FILE)}
    for fires in (True, False):
        assert {each.alert for each in CASES if (each.since is not None) is fires} == names


@needs_promtool
def test_alerts_fire_when_they_have_to_and_only_then(tmp_path: Path) -> None:
    assert found(tmp_path, installed(EVERYTHING), CASES) == ""


@needs_promtool
def test_where_no_release_is_known_any_pod_with_doors_will_do(tmp_path: Path) -> None:
    away, back = (each for each in CASES if each.alert == "PlyscribeAway")
    alone = {name: each for name, each in away.series.items() if "others" not in name}
    anywhere = Case(away.alert, alone, away.since, labels={})
    assert found(tmp_path, installed(ANYWHERE), [anywhere, back]) == ""
    elsewhere = Case(away.alert, away.series)
    assert found(tmp_path, installed(ANYWHERE), [elsewhere]) == ""
    assert "PlyscribeAway" in found(tmp_path, installed(EVERYTHING), [elsewhere])


@needs_promtool
@pytest.mark.parametrize(("expression", "fires"), [("vector(0) > 1", True), ("vector(1)", False)])
def test_alerts_that_never_fire_or_always_are_found(
    tmp_path: Path, expression: str, fires: bool
) -> None:
    some = {each.alert: each for each in CASES if (each.since is not None) is fires}
    said = found(tmp_path, changed(installed(EVERYTHING), expression), some.values())
    assert {rule["alert"] for rule in rules_in(FILE)} == set(re.findall(r"alertname: (\w+)", said))


@needs_promtool
def test_prometheus_takes_the_rules(tmp_path: Path) -> None:
    for name, values in (("own", EVERYTHING), ("any", ANYWHERE)):
        (tmp_path / name).write_bytes(msgspec.json.encode(installed(values)))
        done = promtool(tmp_path, "check", "rules", name)
        assert (done.returncode, done.stderr) == (0, ""), done
        assert f"{len(rules_in(FILE))} rules found" in done.stdout


@needs_promtool
def test_prometheus_takes_what_the_dashboard_asks(tmp_path: Path) -> None:
    queries = [{"record": "panel", "expr": str(each.values[0])} for each in expressions()]
    asked = [{"name": str(at), "rules": [each]} for at, each in enumerate(queries)]
    (tmp_path / "asked").write_bytes(msgspec.json.encode({"groups": asked}))
    done = promtool(tmp_path, "check", "rules", "--lint=none", "asked")
    assert (done.returncode, done.stderr) == (0, ""), done
    assert f"{len(asked)} rules found" in done.stdout


def test_a_place_where_a_scrape_failed_is_written_so() -> None:
    assert written([None, GONE, 0, 2.5]) == "_ stale 0 2.5"
