"""Alerts and dashboard ask for metrics and labels that there are, and the document lists all."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import promql_parser
import pytest
import yaml
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from promql_parser import AggregateExpr, Expr, MatchOp, VectorSelector

from service import signals
from service.errors import CODES
from tests.helm.rendering import CHART, EVERYTHING, NAMESPACE, ROOT, only, rendered

ALERTS = yaml.safe_load((CHART / "files" / "alerts.yaml").read_text("utf-8"))
DASHBOARD = msgspec.json.decode((CHART / "files" / "dashboard.json").read_bytes())
METRICS = [
    *(each for each in vars(signals).values() if isinstance(each, Counter | Gauge | Histogram)),
    signals.workers_died(CollectorRegistry()),
]
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
PANELS = [each for each in DASHBOARD["panels"] if "targets" in each]
OF_PROMETHEUS = {"job", "instance", "namespace"}  # labels that it adds itself
VARIABLES = {"$__rate_interval": "5m", "$job": ".*"}  # of Grafana, as Prometheus gets them


def series() -> dict[str, set[str]]:
    """The labels of every series that a process tells."""
    found: dict[str, set[str]] = {}
    for metric in METRICS:
        (family,) = metric.describe()
        labels = {*metric._labelnames}
        match family.type:
            case "counter":
                found[family.name + "_total"] = labels
            case "histogram":
                found[family.name + "_bucket"] = labels | {"le"}
                found |= {f"{family.name}_{each}": labels for each in ("sum", "count")}
            case _:
                found[family.name] = labels
    return found


SERIES = series()


def expressions() -> Iterator[Any]:
    for rule in RULES:
        yield pytest.param(rule["expr"], id=rule["alert"])
    for each in PANELS:
        for target in each["targets"]:
            expression = target["expr"]
            for variable, value in VARIABLES.items():
                expression = expression.replace(variable, value)
            yield pytest.param(expression, id=f"{each['title']} {target['refId']}")


def selected(expression: str) -> tuple[list[VectorSelector], set[str]]:
    """What a query selects, and the labels it groups by. Raises: ValueError."""
    selectors: list[VectorSelector] = []
    labels: set[str] = set()

    def visit(node: Expr) -> bool:
        if isinstance(node, VectorSelector):
            selectors.append(node)
        if isinstance(node, AggregateExpr) and node.modifier is not None:
            labels.update(node.modifier.labels)
        return True

    promql_parser.walk(promql_parser.parse(expression), visit)
    return selectors, labels


def faults(expression: str) -> list[str]:
    """What a query asks for that no process tells."""
    selectors, labels = selected(expression)
    assert selectors, "it asks for nothing"
    found = [f"no metric {each.name}" for each in selectors if each.name not in SERIES]
    known = [SERIES.get(str(each.name), set()) | OF_PROMETHEUS for each in selectors]
    for each, own in zip(selectors, known, strict=True):
        found += [f"no label {m.name}" for m in each.matchers.matchers if m.name not in own]
    return found + [f"no label {name}" for name in labels if not all(name in own for own in known)]


@pytest.mark.parametrize("expression", list(expressions()))
def test_a_query_asks_for_what_there_is(expression: str) -> None:
    assert faults(expression) == []


@pytest.mark.parametrize(
    "expression",
    [
        "plyscribe_moves",
        'plyscribe_moves_total{match="1"}',
        "sum by (seat) (plyscribe_moves_total)",
        "rate(plyscribe_append_seconds[5m])",
    ],
)
def test_a_query_for_what_there_is_not_is_found(expression: str) -> None:
    assert faults(expression)


def test_codes_in_alerts_are_codes_of_problems() -> None:
    for rule in RULES:
        for code in re.findall(r'code="([^"]+)"', rule["expr"]):
            assert code in CODES


def test_legends_name_labels_that_are_left() -> None:
    for panel in PANELS:
        for target in panel["targets"]:
            grouped = re.findall(r"by \(([^)]*)\)", target["expr"])
            left = {label.strip() for each in grouped for label in each.split(",")}
            assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= left


def test_the_dashboard_has_no_two_panels_in_one_place() -> None:
    places = [
        (x, y)
        for at in (panel["gridPos"] for panel in DASHBOARD["panels"])
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(places) == len(set(places))
    assert max(x for x, _ in places) < 24
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)


def test_the_chart_installs_them_as_they_are() -> None:
    objects = rendered(EVERYTHING)
    alerts = only(objects, "PrometheusRule")["spec"]
    # Of two releases one may be away: whose labels are known is asked for by them.
    (away,) = [each for each in alerts["groups"][0]["rules"] if each["alert"] == "PlyscribeAway"]
    own = {each.name: each.value for each in selected(away["expr"])[0][0].matchers.matchers}
    (metrics,) = [one for one in objects if one["metadata"]["name"].endswith("-metrics")]
    assert (own["job"], own["namespace"]) == (metrics["metadata"]["name"], NAMESPACE)
    away["expr"] = ALERTS["groups"][0]["rules"][0]["expr"]
    assert alerts == ALERTS
    unknown = {**EVERYTHING, "metrics": {"prometheusRule": {"enabled": True}}}
    assert only(rendered(unknown), "PrometheusRule")["spec"] == ALERTS
    data = only(objects, "ConfigMap")["data"]
    assert msgspec.json.decode(data["plyscribe.json"]) == DASHBOARD


def test_the_document_lists_every_series_with_its_labels() -> None:
    text = (ROOT / "docs" / "operations.md").read_text("utf-8")
    rows = re.findall(r"^\| `(plyscribe_\w+)` \|([^|]*)\|", text, re.MULTILINE)
    told = {name: set(re.findall(r"`(\w+)`", labels)) for name, labels in rows}
    histograms = {e._name: {*e._labelnames} for e in METRICS if isinstance(e, Histogram)}
    expected = {name: labels for name, labels in SERIES.items() if "le" not in labels}
    expected = {n: own for n, own in expected.items() if n.rpartition("_")[0] not in histograms}
    assert told == {**expected, **histograms}


def test_no_label_names_a_match_or_anybody() -> None:
    labels = {label for own in SERIES.values() for label in own}
    of_the_service = {"version", "schema", "role", "route", "status", "code", "kind"}
    assert labels == of_the_service | {"platform", "game", "work", "outcome", "le"}


def test_every_metric_is_asked_for_by_an_alert_or_the_dashboard() -> None:
    """What nobody looks at is no signal."""

    def metrics(names: Iterable[str]) -> set[str]:
        return {re.sub(r"_(bucket|sum|count)$", "", name) for name in names}

    asked = {str(each.name) for one in expressions() for each in selected(one.values[0])[0]}
    assert metrics(SERIES) <= metrics(asked)


def test_alerts_find_the_first_of_what_they_count() -> None:
    """A series that begins with it does not rise to Prometheus: it has to be there before."""
    signals.begin()
    samples = [each for family in signals.REGISTRY.collect() for each in family.samples]
    there = {(each.name, *one) for each in samples for one in each.labels.items()}
    wanted = {each for rule in RULES for each in counted(rule["expr"])}
    assert ("plyscribe_problems_total", "code", "internal") in wanted
    assert wanted <= there


def counted(expression: str) -> Iterator[tuple[str, str, str]]:
    """Each value of a label that has to be there to be counted, but classes of values, like 5.."""
    for each in selected(expression)[0]:
        for one in each.matchers.matchers:
            if one.op in (MatchOp.Equal, MatchOp.Re) and re.fullmatch(r"[\w|]+", one.value):
                yield from ((str(each.name), one.name, value) for value in one.value.split("|"))


def test_no_alert_asks_for_less_of_what_may_not_be_there() -> None:
    """A series that is not there is not less than anything: the alert would stay silent."""
    for rule in RULES:
        assert not re.search(r"<", rule["expr"]), rule["alert"]


def test_no_alert_depends_on_when_prometheus_looked() -> None:
    """The time of the query is later than that of the value by up to the interval of scraping."""
    for one in expressions():
        assert "time()" not in one.values[0], one.id
