"""The chart over a matrix of values: valid for Kubernetes, and right for the service."""

from typing import Any

import jsonschema
import kubernetes_validate
import pytest

from service import contract
from service.settings import from_environment
from tests.helm.rendering import (
    CHART,
    EVERYTHING,
    MATRIX,
    NOTHING,
    REQUIRED,
    Json,
    environment,
    helm,
    only,
    pod_of,
    rendered,
)

EACH = pytest.mark.parametrize("values", MATRIX.values(), ids=MATRIX)
OLDEST, NEWEST = "1.25", "1.37"
WORKLOADS = ("Deployment", "Job", "Pod")

_LABELS: Json = {"type": "object", "additionalProperties": {"type": "string"}}


def _exactly(required: tuple[str, ...], **properties: Json) -> Json:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
        "required": list(required),
    }


_TEXT: Json = {"type": "string", "minLength": 1}
_META = _exactly(("name", "labels"), name=_TEXT, labels=_LABELS)
_RULE = _exactly(
    ("alert", "expr", "labels", "annotations"),
    alert={"type": "string", "pattern": "^[A-Z][A-Za-z]+$"},
    expr=_TEXT,
    labels=_exactly(("severity",), severity={"enum": ["critical", "warning"]}),
    annotations=_exactly(("summary", "description"), summary=_TEXT, description=_TEXT)
    | {"required": ["summary"]},
    **{"for": {"type": "string", "pattern": "^[0-9]+[sm]$"}},
)
# Of the Prometheus operator, as far as the chart uses it: its schemas are not among Kubernetes'.
CUSTOM: dict[str, Json] = {
    "ServiceMonitor": _exactly(
        ("selector", "endpoints"),
        selector=_exactly(("matchLabels",), matchLabels=_LABELS),
        namespaceSelector=_exactly(
            ("matchNames",), matchNames={"type": "array", "items": _TEXT, "minItems": 1}
        ),
        endpoints={
            "type": "array",
            "minItems": 1,
            "items": _exactly(
                ("port",),
                port=_TEXT,
                path=_TEXT,
                interval={"type": "string", "pattern": "^[0-9]+s$"},
            ),
        },
    ),
    "PrometheusRule": _exactly(
        ("groups",),
        groups={
            "type": "array",
            "items": _exactly(
                ("name", "rules"), name=_TEXT, rules={"type": "array", "items": _RULE}
            ),
        },
    ),
}


def whole(kind: str) -> Json:
    return _exactly(
        ("apiVersion", "kind", "metadata", "spec"),
        apiVersion={"const": "monitoring.coreos.com/v1"},
        kind={"const": kind},
        metadata=_META,
        spec=CUSTOM[kind],
    )


def workloads(objects: list[Json]) -> list[Json]:
    return [each for each in objects if each["kind"] in WORKLOADS]


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@EACH
def test_it_is_what_kubernetes_takes(values: Json, version: str) -> None:
    for each in rendered(values):
        if each["kind"] in CUSTOM:
            jsonschema.validate(each, whole(each["kind"]))
        else:
            kubernetes_validate.validate(each, version, strict=True)


def test_the_validation_finds_a_field_that_is_none() -> None:
    found = only(rendered(REQUIRED), "Deployment")
    found["spec"]["template"]["spec"]["containers"][0]["readynessProbe"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(found, NEWEST, strict=True)
    monitor = only(rendered(EVERYTHING), "ServiceMonitor")
    monitor["spec"]["endpoint"] = []
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(monitor, whole("ServiceMonitor"))


@EACH
def test_helm_has_nothing_to_object(values: Json) -> None:
    report = helm().lint(str(CHART), values, strict=True)
    assert not report["errors"]
    assert [each for each in report["messages"] if each["severity"] > 1] == []


def test_everything_is_on_and_off_by_value() -> None:
    kinds = {name: sorted(each["kind"] for each in rendered(v)) for name, v in MATRIX.items()}
    assert kinds["nothing"] == ["Deployment", "Service", "Service"]
    assert kinds["required"] == sorted(
        [*kinds["nothing"], "Job", "NetworkPolicy", "Pod", "PodDisruptionBudget", "ServiceAccount"]
    )
    more = {"ConfigMap", "HorizontalPodAutoscaler", "Ingress", "PrometheusRule", "ServiceMonitor"}
    assert set(kinds["everything"]) == set(kinds["required"]) | more


@EACH
def test_nobody_has_more_rights_than_needed(values: Json) -> None:
    for each in workloads(rendered(values)):
        pod = pod_of(each)
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["runAsUser"] == 10001
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            writable = [m for m in container.get("volumeMounts", ()) if not m.get("readOnly")]
            assert all(mount["mountPath"] == "/tmp" for mount in writable)


@EACH
def test_no_variable_of_a_service_is_taken_for_a_setting(values: Json) -> None:
    """A Service called plyscribe would set PLYSCRIBE_PORT to tcp://…"""
    assert all(pod_of(each)["enableServiceLinks"] is False for each in workloads(rendered(values)))


@EACH
def test_secrets_are_referred_to_and_never_held(values: Json) -> None:
    objects = rendered(values)
    assert not [each for each in objects if each["kind"] == "Secret"]
    for each in workloads(objects):
        for container in pod_of(each)["containers"]:
            for name, value in environment(container).items() if "env" in container else ():
                is_secret = name.removeprefix("PLYSCRIBE_") in (
                    *("DATABASE_URL", "SECRET_KEY", "ADMIN_KEY", "REDIS_URL"),
                )
                assert isinstance(value, dict) == is_secret


STANDING_FOR = {
    "PLYSCRIBE_DATABASE_URL": "postgresql://user@host/name",
    "PLYSCRIBE_SECRET_KEY": "ab" * 32,
    "PLYSCRIBE_ADMIN_KEY": "pk_abc_" + "s" * 30,
    "PLYSCRIBE_REDIS_URL": "redis://host",
}


def settings_of(workload: Json) -> Any:
    own = environment(pod_of(workload)["containers"][0])
    given = {k: v if isinstance(v, str) else STANDING_FOR[k] for k, v in own.items()}
    return from_environment(given)


@EACH
def test_the_service_understands_its_environment(values: Json) -> None:
    objects = rendered(values)
    deployment = only(objects, "Deployment")
    settings = settings_of(deployment)
    ports = {p["name"]: p["containerPort"] for p in pod_of(deployment)["containers"][0]["ports"]}
    assert (settings.host, settings.port) == ("0.0.0.0", ports["http"])
    assert settings.metrics_port == ports["metrics"]
    for job in (each for each in objects if each["kind"] == "Job"):
        assert settings_of(job).database_url == settings.database_url


def test_settings_come_through_as_they_are() -> None:
    settings = settings_of(only(rendered(EVERYTHING), "Deployment"))
    assert (settings.log_level, settings.stream_limit) == ("warning", 1_000_000)
    assert (settings.tick_seconds, settings.workers) == (0.5, 4)
    assert str(settings.game_tables) == "/etc/plyscribe/tables"
    assert str(settings.graphql_operations) == "/etc/plyscribe/operations/operations.json"


@EACH
def test_selectors_find_the_pods_of_the_service_and_no_others(values: Json) -> None:
    objects = rendered(values)
    deployment = only(objects, "Deployment")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    selectors = [deployment["spec"]["selector"]["matchLabels"]]
    for each in objects:
        match each["kind"]:
            case "Service":
                selectors.append(each["spec"]["selector"])
            case "PodDisruptionBudget":
                selectors.append(each["spec"]["selector"]["matchLabels"])
            case "NetworkPolicy":
                selectors.append(each["spec"]["podSelector"]["matchLabels"])
    spread = pod_of(deployment).get("topologySpreadConstraints", ())
    selectors += [each["labelSelector"]["matchLabels"] for each in spread]
    others = [
        each["spec"]["template"]["metadata"]["labels"] if each["kind"] == "Job"
        else each["metadata"]["labels"]
        for each in objects
        if each["kind"] in ("Job", "Pod")
    ]  # fmt: skip
    for selector in selectors:
        assert selector.items() <= labels.items()
        assert not [other for other in others if selector.items() <= other.items()]


@EACH
def test_probes_ask_addresses_that_need_no_token(values: Json) -> None:
    container = pod_of(only(rendered(values), "Deployment"))["containers"][0]
    paths = contract.document()["paths"]
    asked = [container[f"{kind}Probe"]["httpGet"] for kind in ("startup", "readiness", "liveness")]
    assert [each["path"] for each in asked] == ["/startupz", "/readyz", "/livez"]
    for each in asked:
        assert paths[each["path"]]["get"]["security"] == []
        assert each["port"] == "http"


@EACH
def test_whoever_names_a_port_names_one_that_is_there(values: Json) -> None:
    objects = rendered(values)
    container = pod_of(only(objects, "Deployment"))["containers"][0]
    ports = {each["name"] for each in container["ports"]}
    served = {}
    for each in (each for each in objects if each["kind"] == "Service"):
        assert {port["targetPort"] for port in each["spec"]["ports"]} <= ports
        served[each["metadata"]["name"]] = {port["name"] for port in each["spec"]["ports"]}
    for each in objects:
        match each["kind"]:
            case "NetworkPolicy":
                named = [p["port"] for rule in each["spec"]["ingress"] for p in rule["ports"]]
                assert sorted(named) == sorted(ports)
            case "Ingress":
                backend = each["spec"]["rules"][0]["http"]["paths"][0]["backend"]["service"]
                assert backend["port"]["name"] in served[backend["name"]]
            case "ServiceMonitor":
                wanted = each["spec"]["selector"]["matchLabels"].items()
                (found,) = [
                    one
                    for one in objects
                    if one["kind"] == "Service" and wanted <= one["metadata"]["labels"].items()
                ]
                names = {endpoint["port"] for endpoint in each["spec"]["endpoints"]}
                assert names <= served[found["metadata"]["name"]]


def test_an_autoscaler_has_the_say_over_replicas() -> None:
    assert "replicas" not in only(rendered(EVERYTHING), "Deployment")["spec"]
    scaler = only(rendered(EVERYTHING), "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    assert scaler["name"] == only(rendered(EVERYTHING), "Deployment")["metadata"]["name"]
    assert only(rendered(NOTHING), "Deployment")["spec"]["replicas"] == 1


def test_the_schema_is_migrated_before_pods_are_replaced() -> None:
    job = only(rendered(REQUIRED), "Job")
    notes = job["metadata"]["annotations"]
    assert notes["helm.sh/hook"] == "pre-install,pre-upgrade"
    assert "before-hook-creation" in notes["helm.sh/hook-delete-policy"]
    # The account of the chart is not there before the install.
    assert "serviceAccountName" not in pod_of(job)
    assert pod_of(job)["containers"][0]["args"] == ["migrate"]


def test_an_ingress_lets_streams_and_sockets_be() -> None:
    notes = only(rendered(EVERYTHING), "Ingress")["metadata"]["annotations"]
    prefix = "nginx.ingress.kubernetes.io/"
    assert notes[prefix + "proxy-buffering"] == "off"
    assert notes[prefix + "proxy-http-version"] == "1.1"
    assert int(notes[prefix + "proxy-read-timeout"]) > 300  # the longest wait there may be


def test_without_redis_nobody_may_go_there() -> None:
    ports = [
        [port["port"] for rule in only(rendered(v), "NetworkPolicy")["spec"]["egress"]
         for port in rule["ports"]]
        for v in (REQUIRED, EVERYTHING)
    ]  # fmt: skip
    assert ports == [[53, 53, 5432], [53, 53, 5432, 6379, 443, 4318, 443]]
