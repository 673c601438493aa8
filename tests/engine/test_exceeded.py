"""Sentences about workloads that can never start: each bound, and what would be possible."""

from __future__ import annotations

import pytest

from console.engine.explain.exceeded import can_never_start, node_sentences
from console.engine.model.exceeded import BoundKind, Exceeded


def number(
    kind: BoundKind, name: str, most: int, *, requested: int = 8, pods: int = 1, holder: str = ""
) -> Exceeded:
    """Return a number of the config that a request for GPUs exceeds."""
    return Exceeded(
        kind=kind,
        name=name,
        holder=holder,
        resource="gpu",
        requested=requested * 1000,
        most=most * 1000,
        pods=pods,
    )


LIMIT = number(BoundKind.LIMIT, "a", 4)
NODE = Exceeded(
    kind=BoundKind.NODE, name="n1", cluster="east", resource="gpu", requested=8000, most=2000
)
MEMORY = Exceeded(
    kind=BoundKind.NODE,
    name="n1",
    cluster="east",
    resource="memory",
    requested=64 * 2**30 * 1000,
    most=16 * 2**30 * 1000,
)
PODS = Exceeded(kind=BoundKind.NODES, resource="pods", requested=8000, most=3000, pods=8)
ALL_NODES = Exceeded(kind=BoundKind.NODES, resource="gpu", requested=8000, most=6000, pods=3)
CONSTRAINTS = Exceeded(kind=BoundKind.NODE_CONSTRAINTS, requested=2000)


@pytest.mark.parametrize(
    ("exceeded", "headline"),
    [
        pytest.param(
            (LIMIT,),
            "Can never run under this config: a pod requests 8 GPUs, but the limit of a is 4. "
            "Request at most 4 GPUs, or have the limit of a raised to 8 GPUs.",
            id="one number",
        ),
        pytest.param(
            (LIMIT, number(BoundKind.LIMIT, "lab", 6)),
            "Can never run under this config: a pod requests 8 GPUs, but the limit of a is 4 and "
            "the limit of lab is 6. Request at most 4 GPUs, or have the limit of a raised to 8 "
            "GPUs and the limit of lab raised to 8 GPUs.",
            id="two numbers of one resource",
        ),
        pytest.param(
            (number(BoundKind.QUOTA, "a", 0),),
            "Can never run under this config: a pod requests 8 GPUs, but the quota of a is 0. "
            "Have the quota of a raised to 8 GPUs.",
            id="nothing of it is possible",
        ),
        pytest.param(
            (
                number(BoundKind.MAXIMUM, "root.a", 6, pods=4),
                number(BoundKind.USER_LIMIT, "root", 4, pods=4, holder="sue"),
                number(BoundKind.GROUP_LIMIT, "root", 5, pods=4, holder="dev"),
                number(BoundKind.GROUP_LIMIT, "root.a", 5, pods=4, holder="*"),
            ),
            "Can never run under this config: its 4 pods that start together request 8 GPUs, but "
            "the maximum of root.a is 6, the limit of user sue in root is 4, the limit of group "
            "dev in root is 5 and the limit of all users without a named group together in root.a "
            "is 5. Request at most 4 GPUs in all, or have the maximum of root.a raised to 8 GPUs, "
            "the limit of user sue in root raised to 8 GPUs, the limit of group dev in root raised "
            "to 8 GPUs and the limit of all users without a named group together in root.a raised "
            "to 8 GPUs.",
            id="pods that start together",
        ),
        pytest.param(
            (NODE, MEMORY),
            "Can never run on the present nodes: no node could hold a pod, even if nothing else "
            "ran there: n1 of east comes closest and offers 2 of the 8 GPUs and 16Gi of the 64Gi "
            "memory. Request at most 2 GPUs and 16Gi memory, or have a larger node added.",
            id="two resources of the closest node",
        ),
        pytest.param(
            (number(BoundKind.LIMIT, "a", 12, requested=16, pods=2), NODE),
            "Can never run under this config: its 2 pods that start together request 16 GPUs, but "
            "the limit of a is 12. Also, no node could hold a pod, even if nothing else ran there: "
            "n1 of east comes closest and offers 2 of the 8 GPUs. Request at most 12 GPUs in all "
            "and 2 GPUs for each pod, or have the limit of a raised to 16 GPUs and a larger node "
            "added.",
            id="a number and a node",
        ),
        pytest.param(
            (PODS,),
            "Can never run on the present nodes: all nodes together could hold 3 of the 8 pods "
            "that start together, even if nothing else ran there. Request at most 3 pods that "
            "start together, or have nodes added.",
            id="too many pods",
        ),
        pytest.param(
            (ALL_NODES,),
            "Can never run on the present nodes: its 3 pods that start together request 8 GPUs, "
            "but all nodes together offer 6. Request at most 6 GPUs in all, or have nodes added.",
            id="all nodes together",
        ),
        pytest.param(
            (CONSTRAINTS,),
            "Can never run on the present nodes: 2 nodes are excluded by name, labels or taints, "
            "and there is no other. Change the node selectors, affinity or tolerations of its "
            "pods, or have a node added that accepts them.",
            id="no node accepts the pods",
        ),
        pytest.param((), "Can never run on the present nodes.", id="a trace without facts"),
    ],
)
def test_the_headline_has_every_bound_and_what_is_possible(
    exceeded: tuple[Exceeded, ...], headline: str
) -> None:
    assert can_never_start(exceeded) == headline


def test_the_stage_about_nodes_has_what_they_lack_whatever_runs() -> None:
    assert [each.text for each in node_sentences((LIMIT, NODE, PODS))] == [
        (
            "No node could hold a pod, even if nothing else ran there: n1 of east comes closest "
            "and offers 2 of the 8 GPUs."
        ),
        (
            "All nodes together could hold 3 of the 8 pods that start together, even if nothing "
            "else ran there."
        ),
    ]
