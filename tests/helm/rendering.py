"""The chart, rendered by Helm's own code and read back as objects."""

import json
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

Json = dict[str, Any]

ROOT = Path(__file__).parents[2]
CHART = ROOT / "helm" / "plyscribe"
RELEASE, NAMESPACE = "demo", "games"

REQUIRED: Json = {
    "database": {"existingSecret": "postgres"},
    "secretKey": {"existingSecret": "keys"},
}


def peer(name: str) -> Json:
    return {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": name}}}


_PEERS: tuple[str, ...] = (
    *("ingressFrom", "metricsFrom", "databaseTo"),
    *("redisTo", "dnsTo", "issuersTo", "tracesTo", "webhooksTo"),
)
EVERYTHING: Json = {
    **REQUIRED,
    "image": {"repository": "registry.example/plyscribe", "digest": "sha256:" + "a" * 64},
    "imagePullSecrets": [{"name": "registry"}],
    "fullnameOverride": "plyscribe",
    "adminKey": {"existingSecret": "admin"},
    "redis": {"existingSecret": "redis"},
    "settings": {"LOG_LEVEL": "warning", "STREAM_LIMIT": 1_000_000, "TICK_SECONDS": 0.5},
    "gameTables": {"configMap": "tables"},
    "graphqlOperations": {"configMap": "operations"},
    "web": {
        "processes": 4,
        "autoscaling": {"enabled": True},
        "podDisruptionBudget": {"maxUnavailable": "20%"},
    },
    "worker": {"replicas": 3, "processes": 2, "podDisruptionBudget": {"maxUnavailable": 2}},
    "service": {"type": "LoadBalancer", "annotations": {"a/b": "c"}},
    "ingress": {"enabled": True, "host": "play.example", "tlsSecret": "tls"},
    "networkPolicy": {name: [peer(name)] for name in _PEERS},
    "metrics": {
        name: {"enabled": True, "labels": {"of": "tests"}}
        for name in ("serviceMonitor", "prometheusRule", "dashboard")
    },
    "serviceAccount": {"annotations": {"a/b": "c"}},
    "podAnnotations": {"a/b": "c"},
    "podLabels": {"team": "games"},
    "nodeSelector": {"disk": "fast"},
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "affinity": {"podAntiAffinity": {}},
    "priorityClassName": "high",
    "topologySpread": {"whenUnsatisfiable": "DoNotSchedule"},
}
_OFF: Json = {"enabled": False}
NOTHING: Json = {
    **REQUIRED,
    "web": {
        "replicas": 1,
        "podDisruptionBudget": _OFF,
        "resources": {"requests": None, "limits": None},
    },
    "worker": _OFF,
    "migration": _OFF,
    "networkPolicy": _OFF,
    "serviceAccount": {"create": False},
    "topologySpread": _OFF,
    "test": _OFF,
}
# All that there is, done by one kind of process.
ONE: Json = {**EVERYTHING, "worker": _OFF}
MATRIX: dict[str, Json] = {
    "required": REQUIRED,
    "everything": EVERYTHING,
    "one": ONE,
    "nothing": NOTHING,
}


def helm() -> Any:
    """Helm for Python; its package has a wheel for Linux on x86-64 alone."""
    return pytest.importorskip("helm_python", reason="no helm-python-sdk for this platform")


def rendered(values: Json) -> list[Json]:
    """All objects, those of hooks included; they are the caller's own. Raises: HelmError."""
    return deepcopy(_rendered(json.dumps(values, sort_keys=True)))


@cache
def _rendered(values: str) -> list[Json]:
    with helm().Chart.load(str(CHART)) as chart:
        files = chart.render(json.loads(values), name=RELEASE, namespace=NAMESPACE)
    texts = [text for name, text in files.items() if name.endswith(".yaml")]
    return [each for text in texts for each in yaml.load_all(text, _Strict) if each is not None]


def only(objects: list[Json], kind: str, suffix: str = "") -> Json:
    found = [each for each in objects if each["kind"] == kind]
    (one,) = [each for each in found if each["metadata"]["name"].endswith(suffix)]
    return one


def web(objects: list[Json], kind: str = "Deployment") -> Json:
    """What has the doors, or is of it."""
    return only([each for each in objects if not _is_workers(each)], kind)


def worker(objects: list[Json], kind: str = "Deployment") -> Json:
    """What does the work behind the doors, or is of it."""
    return only([each for each in objects if _is_workers(each)], kind)


def _is_workers(each: Json) -> bool:
    return bool(each["metadata"]["name"].endswith("-worker"))


def pod_of(workload: Json) -> Json:
    """The specification of its pods."""
    if workload["kind"] == "Pod":
        return dict(workload["spec"])
    return dict(workload["spec"]["template"]["spec"])


def environment(container: Json) -> Json:
    """Variables by name: a text, or the reference that stands for one."""
    pairs = [(each["name"], each.get("value", each.get("valueFrom"))) for each in container["env"]]
    assert len(dict(pairs)) == len(pairs), "a variable is set twice"
    return dict(pairs)


class _Strict(yaml.SafeLoader):
    """A key that is given twice is an error, as it is to Kubernetes."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        assert len(set(keys)) == len(keys), f"given twice, at {node.start_mark}: {keys}"
        return super().construct_mapping(node, deep)
