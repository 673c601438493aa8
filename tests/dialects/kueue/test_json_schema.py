"""The JSON Schema for editors agrees with the parser, as far as a schema can express."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from console.dialects.kueue import DIALECT
from tests.dialects.kueue.test_versions import FORMS

VALIDATOR = Draft202012Validator(DIALECT.schema())
SOUND = sorted((Path(__file__).parent / "bad").glob("lint-*.yaml"))


def errors(text: str) -> list[str]:
    """Return the paths of all schema errors, over all documents."""
    return sorted(
        "/".join(map(str, error.absolute_path))
        for document in yaml.safe_load_all(text)
        for error in VALIDATOR.iter_errors(document)
    )


def test_schema_is_valid():
    Draft202012Validator.check_schema(DIALECT.schema())


@pytest.mark.parametrize(
    "text", [*DIALECT.samples().values(), *FORMS.values(), *(p.read_text("utf-8") for p in SOUND)]
)
def test_schema_accepts_valid_configs(text: str):
    assert DIALECT.read(text, {}).ok
    assert errors(text) == []


BETA = "apiVersion: kueue.x-k8s.io/v1beta2\nmetadata: {name: a}\n"
OLD = BETA.replace("v1beta2", "v1beta1")
QUEUE = BETA + "kind: ClusterQueue\n"


def with_quota(resource: Any) -> str:
    """Return a queue with one resource of one flavor."""
    groups = [{"coveredResources": ["cpu"], "flavors": [{"name": "f", "resources": [resource]}]}]
    return QUEUE + yaml.safe_dump({"spec": {"resourceGroups": groups}})


RESOURCE = "spec/resourceGroups/0/flavors/0/resources/0"
WRONG = {
    "apiVersion: v1": "",
    "kind: List": "",
    "kind: List\nitems: 1": "items",
    "kind: ClusterQueue": "",
    QUEUE + "spec: {cohort: a}": "spec",
    OLD + "kind: ClusterQueue\nspec: {cohortName: a}": "spec",
    QUEUE + "spec: {flavorFungibility: {whenCanBorrow: Borrow}}": (
        "spec/flavorFungibility/whenCanBorrow"
    ),
    QUEUE + "spec: {preemption: {withinClusterQueue: Any}}": "spec/preemption/withinClusterQueue",
    QUEUE + "spec: {stopPolicy: hold}": "spec/stopPolicy",
    QUEUE + "spec: {namespaceSelector: {matchLabels: {a: 1}}}": (
        "spec/namespaceSelector/matchLabels/a"
    ),
    with_quota({"name": "cpu"}): RESOURCE,
    with_quota({"name": "cpu", "nominalQuota": "16GB"}): f"{RESOURCE}/nominalQuota",
    with_quota({"name": "cpu", "nominalQuota": 1.5}): f"{RESOURCE}/nominalQuota",
    with_quota({"name": "cpu", "nominalQuota": "-1"}): f"{RESOURCE}/nominalQuota",
    with_quota({"name": "cpu", "nominalQuota": -1}): f"{RESOURCE}/nominalQuota",
    with_quota({"name": "c p u", "nominalQuota": 1}): f"{RESOURCE}/name",
    BETA + "kind: Cohort\nspec: {parent: a}": "spec",
    QUEUE + "spec: {cohortName: ''}": "spec/cohortName",
    QUEUE + "spec: {admissionChecksStrategy: {}}": "spec/admissionChecksStrategy",
    QUEUE + "spec: {admissionChecksStrategy: {admissionChecks: []}}": (
        "spec/admissionChecksStrategy/admissionChecks"
    ),
    QUEUE + "spec: {concurrentAdmissionPolicy: {migration: {bogus: 1}}}": (
        "spec/concurrentAdmissionPolicy/migration"
    ),
    BETA + "kind: ResourceFlavor\nstatus: {}": "",
    BETA + "kind: WorkloadPriorityClass": "",
    BETA + "kind: WorkloadPriorityClass\nvalue: 3000000000": "value",
    BETA + "kind: ResourceFlavor\nspec: {nodeLabels: {-a: x}}": "spec/nodeLabels",
    BETA + "kind: ResourceFlavor\nspec: {nodeTaints: [{key: a}]}": "spec/nodeTaints/0",
    BETA.replace("name: a", "name: A") + "kind: ResourceFlavor": "metadata/name",
    "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairsharing: {}": "",
    "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nmetadata: {}": "",
}


@pytest.mark.parametrize(("text", "path"), WRONG.items())
def test_schema_rejects_what_the_parser_rejects(text: str, path: str):
    assert not DIALECT.read(text, {}).ok
    assert path in errors(text)
