"""Manifests as submissions: every form, every field, and marked manifests with mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from console.dialects.kai.job import JOB_SAMPLE, read_job
from console.engine.disciplines.fairshare.eligibility import problem_of
from console.engine.model.origin import Origin
from console.reading.exact_json import loads_exactly
from console.workloads.submissions import read_submissions
from tests.dialects.carets import actual_findings, expected_findings
from tests.dialects.test_contract import RELAXED, SCRAPS, check_diagnostic

MARKED = [
    pytest.param(path, id=path.stem) for path in sorted((Path(__file__).parent / "jobs").glob("*"))
]
MEBIBYTE = 2**20


def pod(name: str = "one", *, spec: Any = None, **metadata: Any) -> dict[str, Any]:
    """Return a Pod."""
    metadata = {"name": name, **metadata}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec or {}}


def group(*pods: dict[str, Any], **spec: Any) -> str:
    """Return the text of a PodGroup with its Pods."""
    head = {
        "apiVersion": "scheduling.run.ai/v2alpha2",
        "kind": "PodGroup",
        "metadata": {"name": "gang", "namespace": "research"},
        "spec": spec,
    }
    return yaml.safe_dump_all([head, *pods])


def batch(template: dict[str, Any], annotations: dict[str, str] | None = None, **spec: Any) -> str:
    """Return the text of a Job."""
    return json.dumps(
        {
            "apiVersion": "batch/v1",
            "kind": "Job",
            "metadata": {"name": "train", "annotations": annotations or {}},
            "spec": {"template": template, **spec},
        }
    )


def requesting(**requests: Any) -> dict[str, Any]:
    """Return the spec of a pod with one container."""
    return {"containers": [{"resources": {"requests": requests}}]}


def job_of(text: str) -> dict[str, Any]:
    """Return the fields of the submission of a manifest without findings."""
    reading = read_job(text)
    assert reading.diagnostics == ()
    assert reading.job is not None
    return dict(reading.job)


def requests_of(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the requests of a Pod."""
    ((requests),) = [each["requests"] for each in job_of(json.dumps(manifest))["pod_sets"]]
    return requests


def test_sample() -> None:
    assert job_of(JOB_SAMPLE) == {
        "name": "train",
        "namespace": "default",
        "tags": {"kai.scheduler/queue": "ml-team", "priorityClassName": "train"},
        "pod_sets": [
            {
                "name": "main",
                "count": 4,
                "min_count": 2,
                "requests": {"cpu": 0.5, "gpu": 0.5, "memory": 2048 * MEBIBYTE},
            }
        ],
    }


def test_group_with_subgroups() -> None:
    worker = requesting(cpu="1", **{"nvidia.com/gpu": 1})
    text = group(
        pod("l", labels={"kai.scheduler/subgroup-name": "leader"}, spec=requesting(cpu=2)),
        pod("a", labels={"kai.scheduler/subgroup-name": "workers"}, spec=worker),
        pod("b", labels={"kai.scheduler/subgroup-name": "workers"}, spec=worker),
        pod("c", labels={"kai.scheduler/subgroup-name": "workers"}, spec=worker),
        queue="ml-team",
        priorityClassName="build",
        preemptibility="preemptible",
        minMember=3,
        subGroups=[
            {"name": "leader", "parent": "all"},
            {"name": "workers", "minMember": 2, "parent": "all"},
            {"name": "all"},
        ],
    )
    assert job_of(text) == {
        "name": "gang",
        "namespace": "research",
        "tags": {"kai.scheduler/queue": "ml-team", "priorityClassName": "build"},
        "preemptible": True,
        "pod_sets": [
            {"name": "leader", "count": 1, "requests": {"cpu": 2}},
            {
                "name": "workers",
                "count": 3,
                "min_count": 2,
                "requests": {"cpu": 1, "nvidia.com/gpu": 1},
            },
        ],
    }


def test_pods_of_a_group_may_differ_if_all_start_together() -> None:
    small, large = pod("a", spec=requesting(cpu=1)), pod("b", spec=requesting(cpu=2))
    assert job_of(group(small, large, minMember=2))["pod_sets"] == [
        {"name": "main", "count": 1, "requests": {"cpu": 1}},
        {"name": "main-2", "count": 1, "requests": {"cpu": 2}},
    ]
    (found,) = read_job(group(small, large)).diagnostics
    assert found.message == "The minimum is 1 of 2 pods, which do not request the same."


def test_several_groups_may_be_below_their_number_of_pods() -> None:
    text = group(
        *(
            pod(f"{name}{i}", labels={"kai.scheduler/subgroup-name": name})
            for name in ("a", "b")
            for i in range(2)
        ),
        subGroups=[{"name": "a"}, {"name": "b"}],
    )
    reading = read_job(text)
    assert reading.diagnostics == ()
    assert reading.job is not None
    counts = [(each["name"], each["count"], each["min_count"]) for each in reading.job["pod_sets"]]
    assert counts == [("a", 2, 1), ("b", 2, 1)]


def test_subgroup_without_pods() -> None:
    one = pod(labels={"kai.scheduler/subgroup-name": "a"})
    (found,) = read_job(group(one, subGroups=[{"name": "a"}, {"name": "b"}])).diagnostics
    assert (found.code, found.message) == ("KAI065", 'The subgroup "b" has no Pods.')


def test_two_subgroups_of_one_name() -> None:
    one = pod(labels={"kai.scheduler/subgroup-name": "a"})
    (found,) = read_job(group(one, subGroups=[{"name": "a"}, {"name": "a"}])).diagnostics
    assert (found.code, found.path) == ("KAI065", "[0].spec.subGroups[1].name")


def test_group_without_pods() -> None:
    (found,) = read_job(group()).diagnostics
    assert (found.code, found.message) == ("KAI060", "The PodGroup has no Pods.")


def test_pods_without_a_group() -> None:
    (found,) = read_job(yaml.safe_dump_all([pod("a"), pod("b")])).diagnostics
    assert (found.code, found.path) == ("KAI061", "[1].kind")
    assert found.hint == "Add the PodGroup of these Pods, or submit each Pod by itself."


@pytest.mark.parametrize("text", ["", "---\n", "kind: List\nitems: []\n"])
def test_nothing(text: str) -> None:
    (found,) = read_job(text).diagnostics
    assert (found.code, found.message) == ("KAI060", "The text has no Job, Pod or PodGroup.")


def test_objects_of_a_list() -> None:
    items = list(yaml.safe_load_all(group(pod())))
    text = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": items})
    assert job_of(text)["name"] == "gang"


@pytest.mark.parametrize(
    ("spec", "annotation", "counts"),
    [
        ({}, None, {"count": 1}),
        ({"parallelism": 4}, None, {"count": 4, "min_count": 1}),
        ({"parallelism": 4}, "4", {"count": 4}),
        ({"parallelism": 4, "completions": 2}, "1", {"count": 2, "min_count": 1}),
    ],
)
def test_pods_of_a_job(
    spec: dict[str, int], annotation: str | None, counts: dict[str, int]
) -> None:
    annotations = {"kai.scheduler/batch-min-member": annotation} if annotation else {}
    text = batch({"spec": {}}, annotations, **spec)
    assert job_of(text)["pod_sets"] == [{"name": "main", **counts, "requests": {}}]


@pytest.mark.parametrize("minimum", ["0", "5", "all", "-1", "1234567890"])
def test_invalid_minimum_of_a_job(minimum: str) -> None:
    text = batch({"spec": {}}, {"kai.scheduler/batch-min-member": minimum}, parallelism=4)
    (found,) = read_job(text).diagnostics
    assert (found.code, found.path) == (
        "KAI064",
        "metadata.annotations.kai.scheduler/batch-min-member",
    )


def test_labels_of_the_template_count_where_the_job_has_none() -> None:
    template = {
        "metadata": {
            "labels": {"runai/queue": "q", "app": "web", "kai.scheduler/preemptibility": "x"}
        },
        "spec": {"priorityClassName": "inference"},
    }
    assert job_of(batch(template))["tags"] == {
        "runai/queue": "q",
        "priorityClassName": "inference",
        "kai.scheduler/preemptibility": "x",
    }


@pytest.mark.parametrize(
    ("label", "is_preemptible"), [("preemptible", True), ("non-preemptible", False)]
)
def test_preemptibility(label: str, is_preemptible: bool) -> None:
    job = job_of(json.dumps(pod(labels={"kai.scheduler/preemptibility": label})))
    assert job["preemptible"] is is_preemptible


@pytest.mark.parametrize(
    ("annotations", "requests"),
    [
        ({"gpu-fraction": "0.5"}, {"gpu": 0.5}),
        ({"gpu-fraction": ".25"}, {"gpu": 0.25}),
        (
            {"gpu-fraction": "0.5", "gpu-fraction-num-devices": "2"},
            {"gpu": 1, "gpu-devices": 2},
        ),
        ({"gpu-memory": "2000"}, {"gpu-memory": 2000 * MEBIBYTE}),
        (
            {"gpu-memory": "2000", "gpu-fraction-num-devices": "4"},
            {"gpu-memory": 2000 * MEBIBYTE, "gpu-devices": 4},
        ),
    ],
)
def test_shares_of_gpus(annotations: dict[str, str], requests: dict[str, Any]) -> None:
    manifest = pod(annotations=annotations)
    assert requests_of(manifest) == requests
    value = loads_exactly(json.dumps(job_of(json.dumps(manifest))))
    (submission,) = read_submissions([value])
    assert problem_of(submission) == ""


@pytest.mark.parametrize(
    "annotations",
    [
        {"gpu-fraction": "0"},
        {"gpu-fraction": "1"},
        {"gpu-fraction": "0.0005"},
        {"gpu-fraction": "half"},
        {"gpu-memory": "0"},
        {"gpu-memory": "1.5"},
        {"gpu-fraction": "0.5", "gpu-memory": "2000"},
        {"gpu-fraction": "0.5", "gpu-fraction-num-devices": "0"},
        {"gpu-fraction-num-devices": "2"},
    ],
)
def test_invalid_shares_of_gpus(annotations: dict[str, str]) -> None:
    (found,) = read_job(json.dumps(pod(annotations=annotations))).diagnostics
    assert found.code == "KAI063"


def test_a_share_excludes_whole_gpus() -> None:
    manifest = pod(annotations={"gpu-fraction": "0.5"}, spec=requesting(**{"nvidia.com/gpu": 1}))
    (found,) = read_job(json.dumps(manifest)).diagnostics
    message = "gpu-fraction is stated for a pod that also requests whole GPUs."
    assert (found.code, found.message) == ("KAI063", message)


def test_requests_of_all_containers() -> None:
    spec = {
        "containers": [
            {"resources": {"limits": {"cpu": "4", "memory": "1Gi"}, "requests": {"cpu": "1"}}},
            {"resources": {"requests": {"cpu": "500m"}}},
            {},
        ],
        "initContainers": [
            {"resources": {"requests": {"cpu": "1", "memory": "5Gi"}}},
            {"resources": {"requests": {"cpu": "1"}}, "restartPolicy": "Always"},
        ],
        "overhead": {"cpu": "250m"},
    }
    assert requests_of(pod(spec=spec)) == {"cpu": 2.75, "memory": 5 * 2**30}


def test_constraints_of_nodes() -> None:
    terms = [
        {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]},
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]},
    ]
    spec = {
        "nodeSelector": {"gpu": "h100"},
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}
            }
        },
        "tolerations": [{"key": "gpu", "operator": "Exists", "tolerationSeconds": 30}],
        "schedulerName": "kai-scheduler",
    }
    assert job_of(json.dumps(pod(spec=spec)))["pod_sets"] == [
        {
            "name": "main",
            "count": 1,
            "requests": {},
            "node_selector": {"gpu": "h100"},
            "affinity": terms,
            "tolerations": [{"key": "gpu", "operator": "Exists"}],
        }
    ]


@pytest.mark.parametrize("path", MARKED)
def test_marked_manifest_has_the_expected_findings(path: Path) -> None:
    text = path.read_text("utf-8")
    reading = read_job(text)
    assert sorted(actual_findings(reading)) == expected_findings(text)
    for diagnostic in reading.diagnostics:
        check_diagnostic(diagnostic)


def test_places_of_the_fields_of_the_submission() -> None:
    places = read_job(JOB_SAMPLE).places
    assert {name: each.path for name, each in places.items()} == {
        "name": "metadata.name",
        "tags": "metadata.labels",
        "pod_sets[0]": "spec.template.spec",
        "pod_sets[0].count": "metadata.annotations.kai.scheduler/batch-min-member",
    }
    assert places["name"].span == Origin(line=4, column=9, end_line=4, end_column=14)


@RELAXED
@given(SCRAPS)
def test_any_text_has_a_reading(text: str | bytes) -> None:
    reading = read_job(text)
    assert reading.ok == (reading.job is not None)
    for diagnostic in reading.diagnostics:
        check_diagnostic(diagnostic)


@RELAXED
@given(st.sampled_from([JOB_SAMPLE, group(pod())]), st.data())
def test_any_damaged_manifest_has_a_reading(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    reading = read_job(text[:start] + text[end:])
    assert reading.ok == (reading.job is not None)
