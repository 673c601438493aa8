"""Objects of Kueue's own test cases compile to the same policy as by the loader of cases."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from console.dialects.kueue import DIALECT
from console.dialects.kueue.conformance.objects import read_policy
from console.engine.disciplines.quota.spec import spec_of
from console.engine.routing.local_queues import local_routing_of
from tests.dialects.meaning import plain

FOLDER = Path(__file__).parents[2] / "vectors" / "kueue"
CASES = [
    case
    for path in sorted(FOLDER.glob("*.json"))
    for case in json.loads(path.read_text("utf-8"))
    if "objects" in case
]
#: Errors in Kueue's test tables, which its API server would reject too.
REFUSED = {"DOC017", "KUE011", "KUE013", "KUE015", "KUE026"}


def policy_parts(policy: Any) -> dict[str, Any]:
    """Return the parts of a policy that objects define, without fair sharing and defaults."""
    routing = local_routing_of(policy)
    return {
        "flavors": plain(spec_of(policy).flavors),
        "cohorts": plain(spec_of(policy).cohorts),
        "queues": plain(policy.queues),
        "local queues": plain(routing.local_queues),
        "namespaces": {
            name: {"kubernetes.io/metadata.name": name, **labels}
            for name, labels in routing.namespaces.items()
        },
        "zeros": spec_of(policy).settings.zeros_take_flavors,
    }


def test_most_cases_are_valid_for_the_api_server():
    readings = [DIALECT.read(text_of(case), {}) for case in CASES]
    refused = Counter(reading.ok for reading in readings)
    assert refused[False] < len(CASES) / 10
    assert {error.code for reading in readings for error in reading.errors} <= REFUSED


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_objects_compile_to_the_policy_of_the_loader(case: dict[str, Any]):
    policy = DIALECT.read(text_of(case), {}).policy
    if policy is not None:
        assert policy_parts(read_policy(case)) == policy_parts(policy)


def text_of(case: dict[str, Any]) -> str:
    """Return the objects of a case as a List."""
    return json.dumps({"kind": "List", "items": case["objects"]})
