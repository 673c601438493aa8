"""Storage of pod sets: a round trip through rows keeps them unchanged."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from console.engine.model.nodes import NodeExpression, NodeOperator, TaintEffect, Toleration
from console.engine.model.workload import PodSet, Workload, total_of
from console.workloads import models
from console.workloads.services.load_state import engine_workloads
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.stored_pod_sets import decode_pod_sets, encode_pod_sets
from console.workloads.submissions import Submission

words = st.sampled_from(["", "a", "zone", "ü/x"])
expressions = st.builds(
    NodeExpression,
    words,
    st.sampled_from(NodeOperator),
    st.lists(words, max_size=2).map(tuple),
    is_field=st.booleans(),
)
tolerations = st.builds(
    Toleration,
    words,
    st.sampled_from(["Equal", "Exists"]),
    words,
    st.sampled_from(["", *(effect.value for effect in TaintEffect)]),
)
pod_sets = st.builds(
    PodSet,
    name=st.sampled_from(["main", "workers"]),
    count=st.integers(0, 3),
    min_count=st.none() | st.integers(1, 3),
    requests=st.dictionaries(st.sampled_from(["cpu", "gpu"]), st.integers(0, 2**80), max_size=2),
    node_selector=st.dictionaries(words, words, max_size=2),
    affinity=st.lists(st.lists(expressions, max_size=2).map(tuple), max_size=2).map(tuple),
    tolerations=st.lists(tolerations, max_size=2).map(tuple),
    group=st.none() | st.just("together"),
)


@given(st.lists(pod_sets, min_size=1, max_size=3))
def test_stored_pod_sets_are_read_unchanged(asked: list[PodSet]) -> None:
    stored = json.loads(json.dumps(encode_pod_sets(asked)))
    assert decode_pod_sets(stored, total_of(asked)) == tuple(asked)


def test_only_what_is_said_takes_room() -> None:
    asked = (
        PodSet(
            name="workers",
            count=4,
            min_count=2,
            requests={"cpu": 500},
            node_selector={"zone": "west"},
            affinity=((NodeExpression("tier", NodeOperator.IN, ("fast",)),),),
            tolerations=(Toleration("spot", "Exists"),),
            group="g",
        ),
        PodSet(name="driver"),
    )
    assert encode_pod_sets(asked) == [
        {
            "name": "workers",
            "count": 4,
            "requests": {"cpu": 500},
            "min_count": 2,
            "node_selector": {"zone": "west"},
            "affinity": [[["tier", "In", ["fast"]]]],
            "tolerations": [["spot", "Exists", "", ""]],
            "group": "g",
        },
        {"name": "driver", "count": 1, "requests": {}},
    ]


def test_the_engine_gets_what_was_handed_in(owner) -> None:
    workers = PodSet(name="workers", count=4, requests={"cpu": 500, "gpu": 0}, min_count=1)
    driver = PodSet(name="driver", requests={"memory": 2**70})
    rows = submit_workloads(
        owner,
        [
            Submission(name="short", requests={"cpu": 1500, "gpu": 0}),
            Submission(
                name="long",
                pod_sets=(workers, driver),
                namespace="vision",
                tags={"kueue.x-k8s.io/queue-name": "q"},
                priority=7,
            ),
        ],
    )
    assert list(engine_workloads(models.Workload.objects.filter(org=owner.org))) == [
        Workload(
            id=rows[0].uid,
            sequence=rows[0].pk,
            labels={"workload-type": "job"},
            pod_sets=(PodSet(requests={"cpu": 1500}),),
            user=owner.name,
            pending_since=rows[0].pending_since,
        ),
        Workload(
            id=rows[1].uid,
            sequence=rows[1].pk,
            labels={"kueue.x-k8s.io/queue-name": "q", "workload-type": "job"},
            namespace="vision",
            priority=7,
            pod_sets=(workers, driver),
            user=owner.name,
            pending_since=rows[1].pending_since,
        ),
    ]
    assert rows[1].requests == {"cpu": 2000, "memory": 2**70}
