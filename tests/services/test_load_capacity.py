"""The command `load_capacity`: listings of kubectl and scontrol, and reports, from files."""

from __future__ import annotations

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from console.capacity.listings.read_listing import ListingError, read_listing
from console.capacity.models import Cluster, Node
from console.capacity.services.record_heartbeat import record_heartbeat
from console.orgs.models import AuditEntry, Organization
from console.orgs.permissions import Actor

KUBERNETES_NODE: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Node",
    "metadata": {
        "name": "gpu-1",
        "labels": {"kubernetes.io/hostname": "gpu-1", "gpu": "true"},
        "creationTimestamp": "2026-01-31T12:00:00Z",
    },
    "spec": {
        "podCIDR": "10.0.0.0/24",
        "taints": [
            {"key": "gpu", "value": "yes", "effect": "NoSchedule"},
            {"key": "old", "effect": "NoExecute", "timeAdded": "2026-01-31T12:00:00Z"},
        ],
    },
    "status": {
        "allocatable": {"cpu": "7910m", "memory": "64Gi", "nvidia.com/gpu": "8", "pods": "110"},
        "conditions": [
            {"type": "MemoryPressure", "status": "False"},
            {"type": "Ready", "status": "True"},
        ],
    },
}
KUBERNETES_REPORT = {
    "manager": "kubernetes",
    "nodes": [
        {
            "name": "gpu-1",
            "labels": {"kubernetes.io/hostname": "gpu-1", "gpu": "true"},
            "taints": [
                {"key": "gpu", "value": "yes", "effect": "NoSchedule"},
                {"key": "old", "effect": "NoExecute"},
            ],
            "allocatable": KUBERNETES_NODE["status"]["allocatable"],
            "ready": True,
        }
    ],
}
SLURM = {
    "meta": {"slurm": {"release": "23.11.4"}},
    "nodes": [
        {
            "name": "node001",
            "architecture": "x86_64",
            "cpus": 64,
            "effective_cpus": 62,
            "real_memory": 257_000,
            "specialized_memory": {"set": True, "infinite": False, "number": 1000},
            "features": ["a100", "ib"],
            "partitions": ["batch", "debug"],
            "gres": "gpu:a100:4(S:0-1),shard:8",
            "state": ["MIXED", "PLANNED"],
        },
        {
            "name": "node002",
            "cpus": 16,
            "real_memory": 64_000,
            "features": "old,slow",
            "gres": "",
            "state": "idle+drain",
        },
    ],
}


def load(org: Organization, file: Path | str, *more: str, cluster: str = "east") -> str:
    out = io.StringIO()
    call_command(
        "load_capacity", "--org", org.slug, "--cluster", cluster, *more, str(file), stdout=out
    )
    return out.getvalue().strip()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "nodes"


def test_listings_of_kubectl_are_read() -> None:
    many = {"apiVersion": "v1", "kind": "List", "items": [KUBERNETES_NODE], "metadata": {}}
    stream = yaml.safe_dump_all([KUBERNETES_NODE, KUBERNETES_NODE])
    one = KUBERNETES_REPORT["nodes"]
    for text, nodes in (
        (json.dumps(many), one),
        (yaml.safe_dump(many), one),
        (json.dumps(KUBERNETES_NODE), one),
        (stream, [*one, *one]),
        (json.dumps({"kind": "NodeList", "items": []}), []),
    ):
        listing = read_listing(text, "east")
        assert listing.report == {"manager": "kubernetes", "nodes": nodes}
        assert not listing.is_whole


@pytest.mark.parametrize(
    ("change", "is_ready"),
    [
        ({}, True),
        ({"unschedulable": True}, False),
        ({"conditions": [{"type": "Ready", "status": "Unknown"}]}, False),
        ({"conditions": []}, False),
    ],
)
def test_a_node_of_kubernetes_is_ready_if_its_condition_says_so_and_it_is_not_cordoned(
    change: dict[str, Any], is_ready: bool
) -> None:
    node = {
        **KUBERNETES_NODE,
        "spec": {**KUBERNETES_NODE["spec"], **change},
        "status": {**KUBERNETES_NODE["status"], **change},
    }
    assert read_listing(json.dumps(node), "east").report["nodes"][0]["ready"] is is_ready


def test_a_listing_of_scontrol_is_read() -> None:
    listing = read_listing(json.dumps(SLURM), "east")
    labels = ("feature/a100", "feature/ib", "partition/batch", "partition/debug")
    assert listing.report == {
        "manager": "slurm",
        "nodes": [
            {
                "name": "node001",
                "labels": dict.fromkeys((*labels, "architecture/x86_64"), "true"),
                "allocatable": {
                    "cpu": 62,
                    "memory": 256_000 * 2**20,
                    "gpu": 4,
                    "gpu:a100": 4,
                    "shard": 8,
                },
                "ready": True,
            },
            {
                "name": "node002",
                "labels": {"feature/old": "true", "feature/slow": "true"},
                "allocatable": {"cpu": 16, "memory": 64_000 * 2**20},
                "ready": False,
            },
        ],
    }
    assert not listing.is_whole


@pytest.mark.parametrize("state", ["DOWN*", "idle+drain", "MIXED+NOT_RESPONDING", "UNKNOWN"])
def test_a_node_of_slurm_that_takes_no_jobs_is_not_ready(state: str) -> None:
    node = {"name": "n", "real_memory": 1, "state": state}
    assert read_listing(json.dumps({"nodes": [node]}), "east").report["nodes"][0]["ready"] is False


SKYSHIFT: str = """\
kind: Cluster
metadata: {name: east, labels: {region: eu}, namespace: null}
spec: {manager: k8s}
status:
  status: READY
  capacity:
    n1: {cpus: 4.5, memory: 2048.5, disk: 10, A100: 8}
    n2: {cpus: 2}
  allocatable_capacity:
    n1: {cpus: 1}
---
kind: ClusterList
objects:
- kind: Cluster
  metadata: {name: west}
  spec: {manager: slurm}
  status: {status: PROVISIONING, capacity: {}, allocatable_capacity: {m1: {cpus: 8, gpus: 1}}}
"""


def test_clusters_of_skyshift_are_read_by_name(org: Organization, tmp_path: Path) -> None:
    listing = read_listing(SKYSHIFT, "west")
    assert (listing.is_whole, listing.report) == (
        True,
        {
            "manager": "slurm",
            "labels": {},
            "state": "draining",
            "nodes": [{"name": "m1", "allocatable": {"cpu": 8, "gpus": 1}}],
        },
    )
    file = tmp_path / "clusters.yaml"
    file.write_text(SKYSHIFT)
    assert load(org, file) == "Registered cluster east with 2 nodes, 2 of them ready."
    row = Cluster.objects.get()
    assert (row.labels, row.manager, row.state) == ({"region": "eu"}, "k8s", "ready")
    first, second = Node.objects.order_by("position")
    assert first.allocatable == {
        "A100": 8000,
        "cpu": 4500,
        "ephemeral-storage": 10 * 2**20 * 1000,
        "memory": 4097 * 2**19 * 1000,
    }
    assert second.allocatable == {"cpu": 2000}
    with pytest.raises(ListingError, match=r"None of its clusters is called north: east, west\."):
        read_listing(SKYSHIFT, "north")
    # A single cluster may get another name.
    (single, _) = SKYSHIFT.split("---\n")
    assert read_listing(single, "north").report["labels"] == {"region": "eu"}
    file.write_text(single.replace("A100: 8", "A100: many").replace("region: eu", "region: [eu]"))
    with pytest.raises(CommandError) as refused:
        load(org, file)
    places = [line.split(": ")[1] for line in str(refused.value).splitlines()[:-1]]
    assert places == ["metadata.labels.region", "status.capacity.n1.A100"]
    # The cluster of a config says nothing about nodes.
    with pytest.raises(ListingError, match="This has no nodes"):
        read_listing("kind: Cluster\nmetadata: {name: east}\n", "east")


def test_a_report_is_taken_as_it_is() -> None:
    text = "labels: {a: b}\nnodes:\n  - name: n\n    allocatable: {cpu: 1.5, memory: 64Gi}\n"
    listing = read_listing(text, "east")
    amounts = {"cpu": Decimal("1.5"), "memory": "64Gi"}
    nodes = [{"name": "n", "allocatable": amounts}]
    assert (listing.report, listing.is_whole) == ({"labels": {"a": "b"}, "nodes": nodes}, True)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There are 0 YAML documents"),
        ("a: 1\n---\nb: 2\n", "There are 2 YAML documents"),
        ("{", "This is not JSON: Expecting property name enclosed in double quotes at line 1"),
        ('{"a": 1, "a": 2}', "This is not JSON: the key a is there twice."),
        ("a: [", "This is not YAML: .* at line 2 column 1"),
        ("a: 1\na: 2\n", "This is not YAML: the key a is there twice at line 2 column 1."),
        ("1: a\n", "This is not YAML: a key has to be a text; write it in quotes at line 1"),
        ("a: &x [*x]\nnodes: \x07", "This is not YAML"),
        ("text", "This has no nodes; it has to be the output of kubectl get nodes"),
        ('{"kind": "PodList", "items": []}', "This has no nodes"),
        ('{"kind": "List", "items": [{"kind": "Pod"}]}', "This has no nodes"),
        ("[" * 100_000, "This is not JSON"),
    ],
)
def test_other_files_are_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(ListingError, match=message):
        read_listing(text, "east")


def test_a_cluster_is_loaded_and_loaded_again(org: Organization, file: Path) -> None:
    file.write_text(json.dumps(KUBERNETES_NODE))
    assert load(org, file) == "Registered cluster east with 1 node, 1 of them ready."
    assert load(org, file) == "Cluster east is unchanged: 1 node, 1 of them ready."
    cluster, node = Cluster.objects.get(), Node.objects.get()
    assert (cluster.manager, node.allocatable["cpu"]) == ("kubernetes", 7910)
    assert AuditEntry.objects.get(kind="cluster").actor == "command line"

    file.write_text(json.dumps(SLURM))
    assert load(org, file, "--label", "region=eu", "--label", "a=b=c") == (
        "Updated cluster east: 2 added, 0 changed, 1 removed; other manager, labels. "
        "It has 2 nodes, 1 of them ready."
    )
    assert Cluster.objects.get().labels == {"region": "eu", "a": "b=c"}


def test_a_listing_keeps_labels_and_state_and_a_report_replaces_them(
    org: Organization, file: Path
) -> None:
    file.write_text(json.dumps({"labels": {"a": "b"}, "state": "draining", "nodes": []}))
    load(org, file)
    file.write_text(json.dumps(KUBERNETES_NODE))
    load(org, file)
    cluster = Cluster.objects.get()
    assert (cluster.labels, cluster.state) == ({"a": "b"}, "draining")
    file.write_text('{"nodes": []}')
    load(org, file)
    cluster.refresh_from_db()
    assert (cluster.labels, cluster.state) == ({}, "ready")


def test_a_loaded_cluster_needs_no_heartbeats(org: Organization, file: Path) -> None:
    file.write_text('{"nodes": []}')
    load(org, file)
    record_heartbeat(Actor.from_command(org), "east")
    assert Cluster.objects.get().sends_heartbeats
    load(org, file)
    assert not Cluster.objects.get().sends_heartbeats


def test_errors_have_the_place_in_the_file(org: Organization, file: Path, tmp_path: Path) -> None:
    node = {**KUBERNETES_NODE, "status": {"allocatable": {"cpu": "8x"}}}
    file.write_text(json.dumps(node))
    with pytest.raises(CommandError) as caught:
        load(org, file)
    lines = str(caught.value).splitlines()
    assert lines[0].startswith(f"{file}: items[0].status.allocatable.cpu: ")
    assert lines[1] == "One field is wrong. Nothing was loaded."
    file.write_text("nodes: [{name: 'a b'}]")
    with pytest.raises(CommandError, match=r"nodes\[0\]\.name: A name has letters"):
        load(org, file)
    file.write_text("nodes: []")
    with pytest.raises(CommandError, match="--cluster: A name has letters"):
        load(org, file, cluster="a b")
    with pytest.raises(CommandError, match="the file cannot be read: No such file"):
        load(org, tmp_path / "none")
    file.write_bytes(b"\xff")
    with pytest.raises(CommandError, match="the file is not UTF-8"):
        load(org, file)
    with pytest.raises(CommandError, match="write KEY=VALUE"):
        load(org, file, "--label", "x")
    with pytest.raises(CommandError, match="There is no organization 'none'"):
        call_command("load_capacity", "--org", "none", "--cluster", "a", str(file))
    assert not Cluster.objects.exists()
