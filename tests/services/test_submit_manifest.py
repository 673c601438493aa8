"""Manifests as submissions: permission, idempotency key, language and template of the config."""

from __future__ import annotations

from typing import Final

import pytest

from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.engine.model.workload import PodSet
from console.errors import BadRequest, Conflict, FieldError, NotAllowed
from console.orgs.permissions import Actor
from console.policies.queries import NO_POLICY, active_policy
from console.workloads.models import Workload
from console.workloads.read_manifest import (
    LARGEST,
    ManifestRejected,
    NoManifests,
    manifest_language,
    read_manifest,
)
from console.workloads.services.submit_manifest import submit_manifest
from console.workloads.submissions import Submission

CONFIG: Final = "kind: PlacementTemplate\nmetadata: { name: development }\nspec: {}\n"
JOB: Final = b"""\
kind: Job
metadata: { name: train, labels: { team: a, workload-type: service, market-type: SPOT } }
spec:
  replicas: 3
  resources: { cpus: 0.125, gpus: 1 }
  placement: { template: development }
"""


@pytest.fixture(autouse=True)
def _config(owner: Actor) -> None:
    apply_config(owner, "skyshift", CONFIG, "", 0)


def test_the_submission_of_a_manifest(owner: Actor) -> None:
    manifest = read_manifest(active_policy(owner.org), JOB)
    assert manifest.findings == ()
    assert manifest.submission == Submission(
        name="train",
        namespace="default",
        type="service",
        market_type="SPOT",
        tags={"team": "a"},
        pod_sets=(PodSet(name="main", count=3, requests={"cpu": 125, "gpus": 1000}),),
        placement={"template": "development"},
    )


def test_one_effect_per_key(submitter: Actor) -> None:
    first = submit_manifest(submitter, JOB, "key")
    assert submit_manifest(submitter, JOB, "key") == first
    with pytest.raises(Conflict, match="used for another request"):
        submit_manifest(submitter, JOB.replace(b"train", b"other"), "key")
    assert submit_manifest(submitter, JOB).uid != first.uid
    assert Workload.objects.count() == 2


def test_a_key_returns_the_first_workload_whatever_the_config_has_become(
    owner: Actor, submitter: Actor
) -> None:
    first = submit_manifest(submitter, JOB, "key")
    # The template is gone, and then the language has no manifests.
    apply_config(owner, "skyshift", "{kind: Scheduler, spec: {}}", "", 1)
    assert submit_manifest(submitter, JOB, "key") == first
    apply_config(owner, "native", "resource_queues: []\n", "", 2)
    assert submit_manifest(submitter, JOB, "key") == first
    with pytest.raises(NoManifests):
        submit_manifest(submitter, JOB, "other")
    assert Workload.objects.count() == 1


def test_an_error_uses_up_no_key(submitter: Actor) -> None:
    with pytest.raises(ManifestRejected) as refused:
        submit_manifest(submitter, JOB.replace(b"development", b"gone"), "key")
    assert [each.code for each in refused.value.findings] == ["SKY014"]
    assert refused.value.message == "The manifest has 1 error; no workload was submitted."
    submit_manifest(submitter, JOB, "key")
    assert Workload.objects.count() == 1


def test_the_active_config_decides(owner: Actor) -> None:
    submit_manifest(owner, JOB)
    apply_config(owner, "skyshift", CONFIG.replace("development", "production"), "", 1)
    with pytest.raises(ManifestRejected):
        submit_manifest(owner, JOB)
    apply_config(owner, "native", "resource_queues: []\n", "", 2)
    with pytest.raises(NoManifests, match=r"^The config language Native has no manifests"):
        submit_manifest(owner, JOB)
    assert Workload.objects.count() == 1


def test_a_permission_is_required(viewer: Actor) -> None:
    with pytest.raises(NotAllowed):
        submit_manifest(viewer, b"kind: [")


def test_the_size_is_limited_before_the_text_is_read(owner: Actor) -> None:
    with pytest.raises(BadRequest) as refused:
        submit_manifest(owner, b"[" * (LARGEST + 1))
    message = "A manifest has at most 100,000 bytes; this one has 100,001."
    assert refused.value.errors == (FieldError("", "too_long", message),)


def test_languages_with_manifests(owner: Actor) -> None:
    assert manifest_language(NO_POLICY) is None
    assert manifest_language(active_policy(owner.org)) is dialects()["skyshift"]


@pytest.mark.parametrize("name", [name for name, each in dialects().items() if each.read_job])
def test_the_sample_of_a_language_is_a_submission(name: str) -> None:
    language = dialects()[name]
    manifest = read_manifest(language.empty_policy, language.job_sample.encode())
    assert manifest.findings == ()
