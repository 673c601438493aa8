"""
Workloads at the limits of the schema: the engine decides every accepted one, and pages answer.

REQUESTS=60 draws ten times as many examples, with a random seed.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

import pytest
from django.db import transaction
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from console.orgs.permissions import Actor
from console.workloads.models import Intake, State, Workload
from tests.api.conftest import Api
from tests.intake_results import apply_all_intake, read_back

#: Number of examples; each is a day of an organization, that is, a sequence of requests.
DRAWN: Final = 2 * int(os.environ.get("REQUESTS", "6"))

_GROUPS: Final = """\
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: few
            resources: [{ name: gpu, nominal_quota: 0.001 }, { name: cpu, nominal_quota: 0 }]
          - name: many
            resources:
              - { name: gpu, nominal_quota: 1000000000000000 }
              - { name: cpu, nominal_quota: 4 }
"""

#: Very small and very large quotas that are used, borrowed and reclaimed.
CONFIG: Final = f"""\
resource_flavors:
  - name: few
    selector: [{{ key: team, operator: in, values: [a] }}]
  - name: many
resource_queues:
  - name: first
    cohort_name: all
    preemption: {{ within_resource_queue: lower_priority, reclaim_within_cohort: any }}
{_GROUPS}
  - name: second
    cohort_name: all
{_GROUPS}
scheduling_rules:
  - selector: [{{ key: team, operator: exists }}]
    resource_queue: first
    priority_policy: {{ default: 5, min: 1, max: 9, on_violation: force_update }}
  - resource_queue: second
"""

_WORDS: Final = st.sampled_from(["a", "b" * 63, "\u202e😀", "=1+1", "<b>", "a/b c", "0", "null"])
_KEYS: Final = st.sampled_from(["a", "b" * 63, "kubernetes.io/hostname", "team"])
_RESOURCES: Final = st.sampled_from(["gpu", "cpu", "memory", "x.y/z", "r" * 63])


def _entries(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.dictionaries(_KEYS, values, max_size=2)


def _expressions() -> st.SearchStrategy[Any]:
    asked = {
        **dict.fromkeys(("In", "NotIn"), st.lists(_WORDS.filter(str.isalnum), min_size=1)),
        **dict.fromkeys(("Exists", "DoesNotExist"), st.just([])),
        **dict.fromkeys(("Gt", "Lt"), st.sampled_from([["0"], ["-1"], ["9" * 18]])),
    }
    return st.one_of(
        st.fixed_dictionaries({"key": _KEYS, "operator": st.just(name), "values": values})
        for name, values in asked.items()
    )


_PODS: Final = st.fixed_dictionaries(
    {"count": st.sampled_from([0, 1, 3, 1000, 2**31 - 1])},
    optional={
        "requests": st.dictionaries(
            _RESOURCES, st.sampled_from([0, 1, "1n", "500m", "4", "1Ki", "4Gi"]), max_size=3
        ),
        "node_selector": _entries(st.sampled_from(["", "a"])),
        "affinity": st.lists(
            st.fixed_dictionaries({"matchExpressions": st.lists(_expressions(), min_size=1)}),
            max_size=2,
        ),
        "tolerations": st.lists(
            st.fixed_dictionaries({"operator": st.just("Exists")}, optional={"key": _KEYS}),
            max_size=2,
        ),
        "group": st.just("one"),
    },
)
_FACTS: Final = st.fixed_dictionaries(
    {"name": _WORDS},
    optional={
        "tags": _entries(_WORDS | st.just("")),
        "priority": st.sampled_from([0, 1, 9, 2**53 - 1]),
        "namespace": _WORDS,
        "user": _WORDS,
        "groups": st.lists(_WORDS, max_size=2),
        "market_type": st.sampled_from(["SPOT", "ON_DEMAND"]),
    },
)
_AMOUNTS: Final = st.sampled_from([0, 0.001, 1, 4, 2**31, 2**53 - 1])
_ASKED: Final = st.one_of(
    st.dictionaries(_RESOURCES, _AMOUNTS, max_size=3).map(lambda found: {"requests": found}),
    st.lists(_PODS, min_size=1, max_size=3).map(lambda found: {"pod_sets": _named(found)}),
)
_WORKLOADS: Final = st.lists(
    st.builds(lambda facts, asked: {**facts, **asked}, _FACTS, _ASKED), min_size=1, max_size=4
)


def _named(pod_sets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{**each, "name": f"set-{number}"} for number, each in enumerate(pod_sets)]


@pytest.fixture
def send(api: Callable[[Actor], Api], owner: Actor, client_for: Callable[[Actor], Client]) -> Any:
    """Return a function that sends a request to an organization with the config and settles it."""
    client, browser = api(owner), client_for(owner)

    def sent(path: str, body: dict[str, Any]) -> int:
        status = client.post(path, body).status
        assert Intake.objects.exists() == (status < 400)
        read_back(apply_all_intake(), client.client, browser)
        return status

    assert sent("config/versions", {"text": CONFIG, "expected_version": 0}) == 201
    return sent


def test_work_at_the_edges(send: Callable[[str, dict[str, Any]], int], db: None) -> None:
    @settings(
        max_examples=DRAWN,
        derandomize="REQUESTS" not in os.environ,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(_WORKLOADS, _WORKLOADS, st.sampled_from(["finish", "withdraw"]))
    def day(morning: list[Any], evening: list[Any], end: str) -> None:
        with transaction.atomic():
            for each in morning:
                # The total of all pods may be too large to be counted.
                assert send("workloads", {"workloads": [each]}) in {202, 400}
            running = Workload.objects.filter(state=State.ADMITTED).values_list("uid", flat=True)
            if running:
                assert send(f"workloads/{end}", {"ids": [running[0]]}) == 202
            assert send("workloads", {"workloads": evening}) in {202, 400}
            stopped = Workload.objects.filter(state=State.PREEMPTING).values_list("uid", flat=True)
            if stopped:
                assert send("workloads/release", {"ids": list(stopped)}) == 202
            transaction.set_rollback(True)

    day()
