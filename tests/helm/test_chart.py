"""The chart over a matrix of values: valid for Kubernetes, and right for the service."""

from typing import Any

import jsonschema
import kubernetes_validate
import pytest

from service import contract
from service.rest.probes import PROBES
from service.roles import Role
from service.settings import from_environment
from tests.helm.rendering import (
    CHART,
    EVERYTHING,
    MATRIX,
    NOTHING,
    ONE,
    REQUIRED,
    Json,
    environment,
    helm,
    only,
    peer,
    pod_of,
    rendered,
    web,
    worker,
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
    found = worker(rendered(REQUIRED))
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
    twice = ["NetworkPolicy", "PodDisruptionBudget"]
    assert kinds["required"] == sorted(
        [*kinds["nothing"], "Deployment", *twice, *twice, "Job", "Pod", "ServiceAccount"]
    )
    gone = ["Deployment", *twice]
    assert sorted([*kinds["one"], *gone]) == kinds["everything"]
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
    for deployment in (each for each in objects if each["kind"] == "Deployment"):
        settings = settings_of(deployment)
        named = pod_of(deployment)["containers"][0]["ports"]
        ports = {each["name"]: each["containerPort"] for each in named}
        assert (settings.host, settings.port) == ("0.0.0.0", ports["http"])
        assert settings.metrics_port == ports["metrics"]
    for job in (each for each in objects if each["kind"] == "Job"):
        assert settings_of(job).database_url == settings.database_url


def test_settings_come_through_as_they_are() -> None:
    for find, processes in ((web, 4), (worker, 2)):
        settings = settings_of(find(rendered(EVERYTHING)))
        assert (settings.log_level, settings.stream_limit) == ("warning", 1_000_000)
        assert (settings.tick_seconds, settings.workers) == (0.5, processes)
        assert str(settings.game_tables) == "/etc/plyscribe/tables"
        assert str(settings.graphql_operations) == "/etc/plyscribe/operations/operations.json"


@pytest.mark.parametrize("values", [REQUIRED, EVERYTHING], ids=["required", "everything"])
def test_doors_and_work_are_apart(values: Json) -> None:
    objects = rendered(values)
    assert settings_of(web(objects)).role is Role.WEB
    assert settings_of(worker(objects)).role is Role.WORKER
    assert "lifecycle" in pod_of(web(objects))["containers"][0]
    assert "lifecycle" not in pod_of(worker(objects))["containers"][0]


@pytest.mark.parametrize("values", [ONE, NOTHING], ids=["one", "nothing"])
def test_without_workers_each_process_does_all(values: Json) -> None:
    assert settings_of(only(rendered(values), "Deployment")).role is Role.ALL


def test_no_selector_changes_with_what_is_on() -> None:
    """Kubernetes does not let a Deployment change its own: an upgrade would be refused."""
    found = {
        str(web(rendered(values))["spec"]["selector"]["matchLabels"]) for values in MATRIX.values()
    }
    assert len(found) == 1
    assert worker(rendered(REQUIRED))["spec"]["selector"]["matchLabels"] == {
        "app.kubernetes.io/name": "plyscribe",
        "app.kubernetes.io/instance": "demo",
        "app.kubernetes.io/component": "worker",
    }


def matched(each: Json) -> Json:
    """The labels it selects pods by."""
    match each["kind"]:
        case "Service":
            found = each["spec"]["selector"]
        case "NetworkPolicy":
            found = each["spec"]["podSelector"]["matchLabels"]
        case _:
            found = each["spec"]["selector"]["matchLabels"]
    return dict(found)


SELECTING = ("Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy")


@EACH
def test_selectors_find_the_pods_of_their_component_and_no_others(values: Json) -> None:
    objects = rendered(values)
    labels = {
        each["metadata"]["name"]: each["spec"]["template"]["metadata"]["labels"]
        if each["kind"] in ("Deployment", "Job")
        else each["metadata"]["labels"]
        for each in objects
        if each["kind"] in WORKLOADS
    }
    deployments = [each for each in objects if each["kind"] == "Deployment"]
    names = {each["metadata"]["name"] for each in deployments}
    for each in (one for one in objects if one["kind"] in SELECTING):
        selector, name = matched(each), each["metadata"]["name"]
        found = {pod for pod, own in labels.items() if selector.items() <= own.items()}
        # Metrics are told by all; the doors, and whatever has the name of one, are of one alone.
        assert found == (names if name.endswith("-metrics") else {name})
    for each in deployments:
        for spread in pod_of(each).get("topologySpreadConstraints", ()):
            assert spread["labelSelector"]["matchLabels"] == matched(each)


@EACH
def test_probes_ask_addresses_that_need_no_token(values: Json) -> None:
    paths = contract.document()["paths"]
    for each in (one for one in rendered(values) if one["kind"] == "Deployment"):
        container = pod_of(each)["containers"][0]
        kinds = ("startup", "readiness", "liveness")
        asked = [container[f"{kind}Probe"]["httpGet"] for kind in kinds]
        assert [one["path"] for one in asked] == ["/startupz", "/readyz", "/livez"]
        for one in asked:
            assert one["port"] == "http"
            assert paths[one["path"]]["get"]["security"] == []
            assert one["path"] in {probe.route for probe in PROBES}  # A worker has these alone.


@EACH
def test_whoever_names_a_port_names_one_that_is_there(values: Json) -> None:
    objects = rendered(values)
    container = pod_of(web(objects))["containers"][0]
    ports = {each["name"] for each in container["ports"]}
    served = {}
    for each in (each for each in objects if each["kind"] == "Service"):
        assert {port["targetPort"] for port in each["spec"]["ports"]} <= ports
        served[each["metadata"]["name"]] = {port["name"] for port in each["spec"]["ports"]}
    for each in objects:
        match each["kind"]:
            case "NetworkPolicy":
                named = [p["port"] for rule in each["spec"]["ingress"] for p in rule["ports"]]
                is_workers = each["metadata"]["name"].endswith("-worker")
                assert named == (["metrics"] if is_workers else ["http", "metrics"])
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
    objects = rendered(EVERYTHING)
    assert "replicas" not in web(objects)["spec"]
    assert worker(objects)["spec"]["replicas"] == 3
    scaler = only(objects, "HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]
    assert scaler["name"] == web(objects)["metadata"]["name"]
    assert web(rendered(NOTHING))["spec"]["replicas"] == 1


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


def test_nobody_may_go_where_it_has_nothing_to_do() -> None:
    def leaves(policy: Json) -> list[tuple[int, Any]]:
        rules = policy["spec"]["egress"]
        return [(port["port"], rule.get("to")) for rule in rules for port in rule["ports"]]

    for find in (web, worker):
        policy = find(rendered(REQUIRED), "NetworkPolicy")
        assert leaves(policy) == [(53, None), (53, None), (5432, None)]
    names, data = (53, [peer("dnsTo")]), (5432, [peer("databaseTo")])
    both = [names, names, data, (6379, [peer("redisTo")])]
    issuers, traces = (443, [peer("issuersTo")]), (4318, [peer("tracesTo")])
    webhooks = (443, [peer("webhooksTo")])
    objects = rendered(EVERYTHING)
    assert leaves(web(objects, "NetworkPolicy")) == [*both, issuers, traces]
    assert leaves(worker(objects, "NetworkPolicy")) == [*both, traces, webhooks]
    assert leaves(web(rendered(ONE), "NetworkPolicy")) == [*both, issuers, traces, webhooks]
