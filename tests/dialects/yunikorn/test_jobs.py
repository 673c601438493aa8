"""Manifests as submissions: every form, every field, and marked manifests with mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.dialects.yunikorn.job import JOB_SAMPLE, read_job
from console.dialects.yunikorn.routing import submitted_queue
from console.reading.exact_json import loads_exactly
from console.workloads.submissions import read_submissions
from tests.dialects.carets import expected_findings
from tests.dialects.test_contract import RELAXED, SCRAPS, check_diagnostic

MARKED = [
    pytest.param(path, id=path.stem) for path in sorted((Path(__file__).parent / "jobs").glob("*"))
]
PREFIX = "yunikorn.apache.org/"


def pod(*, spec: Any = None, **metadata: Any) -> dict[str, Any]:
    """Return a Pod."""
    metadata = {"name": "one", **metadata}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec or {}}


def batch(template: dict[str, Any], annotations: dict[str, str] | None = None, **spec: Any) -> Any:
    """Return a Job."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": "train", "annotations": annotations or {}},
        "spec": {"template": template, **spec},
    }


def requesting(**requests: Any) -> dict[str, Any]:
    """Return the spec of a pod with one container."""
    return {"containers": [{"resources": {"requests": requests}}]}


def job_of(manifest: Any) -> dict[str, Any]:
    """Return the fields of the submission of a manifest without findings."""
    reading = read_job(manifest if isinstance(manifest, str) else json.dumps(manifest))
    assert reading.diagnostics == ()
    assert reading.job is not None
    return dict(reading.job)


def gang(*groups: dict[str, Any], name: str = "workers", parameters: str = "") -> dict[str, str]:
    """Return the annotations of task groups."""
    found = {f"{PREFIX}task-groups": json.dumps(groups), f"{PREFIX}task-group-name": name}
    return found | ({f"{PREFIX}schedulingPolicyParameters": parameters} if parameters else {})


def test_sample() -> None:
    assert job_of(JOB_SAMPLE) == {
        "name": "train",
        "namespace": "default",
        "tags": {"applicationId": "train-1", "queue": "root.research.training"},
        "pod_sets": [
            {
                "name": "workers",
                "count": 4,
                "min_count": 2,
                "requests": {"cpu": 0.5, "memory": 2 * 2**30},
            }
        ],
        "placement": {"gang": {"timeout": 600}},
    }


def test_pod_with_labels_and_annotations() -> None:
    manifest = pod(
        namespace="research",
        labels={"queue": "root.old", "team": "a"},
        annotations={f"{PREFIX}queue": "root.new", f"{PREFIX}allow-preemption": "false"},
        spec={**requesting(cpu=1, memory=0, **{"nvidia.com/gpu": 2}), "priority": -5},
    )
    assert job_of(manifest) == {
        "name": "one",
        "namespace": "research",
        "tags": {"queue": "root.old", "team": "a", f"{PREFIX}queue": "root.new"},
        "preemptible": False,
        "priority": -5,
        "pod_sets": [
            {"name": "main", "count": 1, "requests": {"cpu": 1, "nvidia.com/gpu": 2}},
        ],
    }


@pytest.mark.parametrize(
    ("spec", "count"),
    [
        ({}, 1),
        ({"parallelism": 0}, 1),
        ({"parallelism": 3}, 3),
        ({"parallelism": 3, "completions": 2}, 2),
    ],
)
def test_pods_of_a_job_start_one_by_one(spec: dict[str, int], count: int) -> None:
    template = {"spec": {**requesting(cpu="250m"), "nodeSelector": {"kind": "big"}}}
    assert job_of(batch(template, **spec))["pod_sets"] == [
        {
            "name": "main",
            "count": count,
            "requests": {"cpu": 0.25},
            "node_selector": {"kind": "big"},
        }
    ]


def test_task_groups_are_pod_sets_that_start_together() -> None:
    groups = (
        {"name": "driver", "minMember": 1, "minResource": {"cpu": "2"}, "nodeSelector": {"a": "b"}},
        {"name": "workers", "minMember": 3, "minResource": {"cpu": "1"}},
    )
    annotations = gang(*groups, parameters="gangSchedulingStyle=Hard placeholderTimeoutInSeconds=5")
    found = job_of(batch({"spec": requesting(cpu=1)}, annotations, parallelism=5))
    assert found["pod_sets"] == [
        {"name": "workers", "count": 5, "min_count": 3, "requests": {"cpu": 1}},
        {
            "name": "driver",
            "count": 1,
            "min_count": 1,
            "requests": {"cpu": 2},
            "node_selector": {"a": "b"},
        },
    ]
    assert found["placement"] == {"gang": {"style": "Hard", "timeout": 5}}


def test_tolerations_of_task_groups_are_those_of_pods() -> None:
    toleration = {"key": "gpu", "operator": "Exists", "tolerationSeconds": 5}
    annotations = gang({"name": "workers", "minMember": 1, "tolerations": [toleration]})
    found = job_of(pod(annotations=annotations, spec={"tolerations": [toleration]}))
    expected = [{"key": "gpu", "operator": "Exists"}]
    assert [each["tolerations"] for each in found["pod_sets"]] == [expected]
    others = gang(
        {"name": "workers", "minMember": 1},
        {"name": "driver", "minMember": 1, "tolerations": [toleration]},
    )
    (_, driver) = job_of(pod(annotations=others))["pod_sets"]
    assert driver["tolerations"] == expected


ANNOTATED = f"{PREFIX}queue"


@pytest.mark.parametrize(
    ("job", "pods", "expected"),
    [
        # Labels and annotations of the Job, those of its pods, and the queue.
        (({}, {}), ({"queue": "c"}, {ANNOTATED: "b"}), "b"),
        (({}, {}), ({ANNOTATED: "a", "queue": "c"}, {ANNOTATED: "b"}), "a"),
        (({}, {}), ({ANNOTATED: "", "queue": "c"}, {ANNOTATED: "b"}), "b"),
        (({}, {}), ({"queue": "c"}, {"queue": "no"}), "c"),
        (({}, {}), ({}, {"queue": "no"}), ""),
        (({ANNOTATED: "a"}, {}), ({}, {}), "a"),
        (({ANNOTATED: "a"}, {ANNOTATED: "b"}), ({"queue": "c"}, {}), "c"),
        (({ANNOTATED: "a"}, {}), ({}, {ANNOTATED: "b"}), "b"),
    ],
)
def test_the_queue_of_labels_and_annotations(
    job: tuple[dict[str, str], dict[str, str]],
    pods: tuple[dict[str, str], dict[str, str]],
    expected: str,
) -> None:
    manifest = batch({"metadata": {"labels": pods[0], "annotations": pods[1]}, "spec": {}}, job[1])
    manifest["metadata"]["labels"] = job[0]
    assert submitted_queue(job_of(manifest)["tags"]) == expected


@pytest.mark.parametrize(
    "groups",
    [
        "text",
        "[]",
        '["a"]',
        '[{"minMember": 1}]',
        '[{"name": "a", "minMember": 1, "nodeSelector": ["zone"]}]',
        '[{"name": "a", "minMember": 1, "nodeSelector": {"zone": 1}}]',
        '[{"name": "a", "minMember": 1, "tolerations": {"key": "gpu"}}]',
        '[{"name": "a", "minMember": 1, "tolerations": ["gpu"]}]',
        '[{"name": "a", "minMember": true}]',
        '[{"name": "a", "minMember": 1, "minResource": [1]}]',
        '[{"name": "a", "minMember": 1, "minResource": {"cpu": "x"}}]',
        '[{"name": "a", "minMember": 1}, {"name": "a", "minMember": 1}]',
        '[{"name": "b", "minMember": 1}]',
        "[" * 100_000,
    ],
)
def test_task_groups_that_cannot_be_read(groups: str) -> None:
    annotations = {f"{PREFIX}task-groups": groups[:400], f"{PREFIX}task-group-name": "a"}
    reading = read_job(json.dumps(pod(annotations=annotations)))
    assert [each.code for each in reading.diagnostics] == ["YUN084"]


@pytest.mark.parametrize("key", ["user.info", "username"])
def test_a_user_in_an_annotation_is_not_read(key: str) -> None:
    reading = read_job(json.dumps(pod(annotations={f"{PREFIX}{key}": "root"})))
    assert [each.code for each in reading.diagnostics] == ["YUN086"]
    assert reading.job is not None
    assert "root" not in json.dumps(reading.job)
    assert reading.job.keys().isdisjoint({"user", "groups"})


@pytest.mark.parametrize("path", MARKED)
def test_marked_manifest_has_the_expected_findings(path: Path) -> None:
    text = path.read_text("utf-8")
    reading = read_job(text)
    assert expected_findings(text) == [
        (each.span.line, each.span.column, each.code) for each in reading.diagnostics
    ]
    assert expected_findings(text)


def test_every_place_is_inside_the_text() -> None:
    reading = read_job(JOB_SAMPLE)
    lines = JOB_SAMPLE.split("\n")
    assert set(reading.places) == {
        "name",
        "tags.applicationId",
        "tags.queue",
        "pod_sets[0]",
        "pod_sets[0].count",
        "placement",
    }
    for place in reading.places.values():
        assert 1 <= place.span.line <= place.span.end_line <= len(lines)


@RELAXED
@given(text=st.one_of(st.text(max_size=200), st.lists(SCRAPS, max_size=30).map("".join)))
def test_any_text_has_a_reading(text: str) -> None:
    reading = read_job(text)
    assert (reading.job is None) == any(each.severity == "error" for each in reading.diagnostics)
    for each in reading.diagnostics:
        check_diagnostic(each)


def test_submissions_of_manifests_are_accepted() -> None:
    submissions = loads_exactly(json.dumps([job_of(JOB_SAMPLE)]))
    [found] = read_submissions(submissions, lambda: -(2**31))
    assert [(each.name, each.count, each.min_count) for each in found.pod_sets] == [
        ("workers", 4, 2)
    ]
