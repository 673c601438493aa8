"""Hostile manifests: each is answered with places in the text, or carried out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st
from pytest_django.plugin import DjangoDbBlocker

from console.configs.services.apply_config import apply_config
from console.dialects import dialects
from console.orgs.models import Role
from console.orgs.permissions import Actor
from console.orgs.services.create_org import create_org
from console.reading import is_storable
from console.workloads.models import Workload
from tests.conftest import member, signed_in, with_token
from tests.hostile.test_config_texts import DRAWN, check_place
from tests.hostile.texts import BOMBS, SCRAPS
from tests.intake_results import apply_all_intake, read_back
from tests.pages.page import complaints, read_page
from tests.permissions.sending import rolled_back

_DIALECTS: Final = Path(__file__).parents[1] / "dialects"

SKYSHIFT_JOB: Final = """\
kind: Job
metadata: { name: j, namespace: n, labels: { team: a, workload-type: job } }
spec:
  replicas: 2
  resources: { cpus: 1, memory: 128M, A100: 1 }
  placement:
    filters: [{ name: f, match_labels: { a: b } }]
    preferences: [{ name: p, match_expressions: [{ key: k, operator: In, values: [v] }] }]
"""

KAI_GROUP: Final = """\
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: { name: g, namespace: n, labels: { team: a, workload-type: job } }
spec:
  queue: q
  subGroups: [{ name: a, minMember: 1 }, { name: b }]
---
apiVersion: v1
kind: Pod
metadata:
  labels: { kai.scheduler/subgroup-name: a }
  annotations: { gpu-fraction: "0.5", gpu-fraction-num-devices: "2" }
spec:
  tolerations: [{ key: k, operator: Exists }]
  affinity:
    nodeAffinity:
      requiredDuringSchedulingIgnoredDuringExecution:
        nodeSelectorTerms: [{ matchExpressions: [{ key: k, operator: In, values: [v] }] }]
---
apiVersion: v1
kind: Pod
metadata: { labels: { kai.scheduler/subgroup-name: b } }
spec:
  nodeSelector: { zone: z }
  initContainers: [{ resources: { requests: { cpu: 1 } } }]
  containers: [{ resources: { requests: { cpu: 500m, memory: 1Gi, nvidia.com/gpu: 1 } } }]
"""

KAI_QUEUE: Final = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata: { name: q }
spec: { resources: { cpu: { limit: -1 }, memory: { limit: -1 }, gpu: { limit: -1 } } }
"""

YUNIKORN_CONFIG: Final = """\
partitions: [{ queues: [{ name: root, submitacl: "*", queues: [{ name: q }] }] }]
"""

YUNIKORN_JOB: Final = """\
apiVersion: batch/v1
kind: Job
metadata: { name: j, namespace: n, labels: { queue: root.q, applicationId: a } }
spec:
  parallelism: 2
  template:
    metadata:
      annotations:
        yunikorn.apache.org/task-group-name: w
        yunikorn.apache.org/task-groups: '[{"name": "w", "minMember": 2, "minResource": {}}]'
        yunikorn.apache.org/schedulingPolicyParameters: gangSchedulingStyle=Hard
    spec:
      priority: 5
      containers: [{ resources: { requests: { cpu: 500m, memory: 1Gi } } }]
"""


@dataclass(frozen=True, slots=True)
class Language:
    """A language with manifests: a config, and one of its manifests."""

    name: str
    config: str
    manifest: str

    def texts(self) -> tuple[str, ...]:
        """Return its manifests, most of them with mistakes."""
        paths = sorted((_DIALECTS / self.name / "jobs").glob("*.yaml"))
        return (self.manifest, *(path.read_text("utf-8") for path in paths))


LANGUAGES: Final = (
    Language("skyshift", "kind: Scheduler\nspec: {}\n", SKYSHIFT_JOB),
    Language("kai", KAI_QUEUE, KAI_GROUP),
    Language("yunikorn", YUNIKORN_CONFIG, YUNIKORN_JOB),
)


@pytest.fixture(scope="module", params=LANGUAGES, ids=[each.name for each in LANGUAGES])
def language(request: pytest.FixtureRequest) -> Language:
    """Each language with manifests."""
    found: Language = request.param
    return found


@pytest.fixture(scope="module")
def boss(
    language: Language, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[Actor]:
    """Create an organization whose language has manifests; rolled back at the end."""
    with django_db_blocker.unblock(), transaction.atomic():
        actor = member(create_org("orchard", "Orchard", None), Role.OWNER)
        apply_config(actor, language.name, language.config, "", 0)
        apply_all_intake()
        yield actor
        transaction.set_rollback(True)


@pytest.fixture
def clients(boss: Actor, db: None) -> tuple[Client, Client]:
    """Return the owner's clients for the API and for pages."""
    return with_token(boss), signed_in(boss)


@st.composite
def damaged(draw: st.DrawFn, texts: tuple[str, ...]) -> str:
    """Draw a manifest with special tokens at random places, or cut off."""
    text = draw(st.sampled_from(texts))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        more = draw(st.sampled_from(SCRAPS) | st.text(max_size=8))
        text = text[:at] + more + text[at + draw(st.sampled_from((0, 0, 1, 8, 40))) :]
    return text


def send(clients: tuple[Client, Client], text: str) -> None:
    """Send *text* to both addresses, check the answers, and run the engine on what is accepted."""
    api, browser = clients
    raw = text.encode("utf-8", "surrogatepass")
    with rolled_back():
        response = api.post("/api/v1/orgs/orchard/workloads", raw, content_type="application/yaml")
        _check_answer(response, text)
        assert Workload.objects.exists() == (response.status_code == 202)
        read_back(apply_all_intake(), api, browser)
    accepted = response.status_code == 202
    form = urlencode({"manifest": raw})
    kind = "application/x-www-form-urlencoded"
    with rolled_back():
        shown = browser.post("/o/orchard/workloads/new", form, content_type=kind)
        assert Workload.objects.exists() == (shown.status_code == 302)
        if is_storable(text):
            assert (shown.status_code == 302) == accepted
        assert shown.status_code in (302, 422)
        if shown.status_code == 422:
            page = read_page(shown)
            assert complaints(page) == []
            assert page.id("manifest-errors").text
            assert b"<script>alert" not in shown.content
        else:
            # The warnings are shown on the page of the workload.
            assert complaints(read_page(browser.get(shown.headers["Location"]))) == []


def _check_answer(response: Any, text: str) -> None:
    body = json.loads(response.content)
    assert response.status_code in (202, 400, 413), body
    for finding in (*body.get("diagnostics", ()), *body.get("lints", ())):
        assert len(finding["message"]) < 1_000
        assert "\n" not in finding["message"] + finding["hint"]
        check_place(finding["range"], text)
    if response.status_code == 400:
        assert body["code"] in ("manifest_rejected", "invalid_request")
        assert body.get("diagnostics") or body["errors"]


def test_every_language_with_manifests_is_tested() -> None:
    assert {each.name for each in LANGUAGES} == {
        name for name, each in dialects().items() if each.read_job
    }


def test_a_manifest_is_carried_out(language: Language, clients: tuple[Client, Client]) -> None:
    api, _ = clients
    address, kind = "/api/v1/orgs/orchard/workloads", "application/yaml"
    assert api.post(address, language.manifest, content_type=kind).status_code == 202


def test_a_damaged_manifest_is_answered(language: Language, clients: tuple[Client, Client]) -> None:
    @DRAWN
    @given(damaged(language.texts()))
    def ask(text: str) -> None:
        send(clients, text)

    ask()


@pytest.mark.parametrize("title", BOMBS)
def test_a_text_bomb_is_answered(title: str, clients: tuple[Client, Client]) -> None:
    send(clients, BOMBS[title])


@pytest.mark.parametrize(
    "placement",
    [
        "&a [*a]",
        "&a { filters: *a }",
        "{ filters: &f [{ name: f, match_labels: { a: b } }], preferences: *f }",
        "{ <<: { template: t } }",
    ],
)
def test_aliases_in_a_manifest_are_answered(placement: str, clients: tuple[Client, Client]) -> None:
    send(clients, f"kind: Job\nmetadata: {{ name: j }}\nspec:\n  placement: {placement}\n")
