"""Labels that the config does not refer to change no route, and share cached routes."""

from __future__ import annotations

from dataclasses import replace

from console.engine.routing.local_queues import LocalQueueRouting
from console.engine.routing.referenced_labels import referenced_labels
from console.engine.routing.router import Router
from tests.engine.builders import only, policy, queue, rule, workload


def test_labels_of_rules_and_flavors_are_referenced() -> None:
    rules = policy(
        queue("a"),
        rules=[rule(0, "a", only(team="x"))],
        flavors={"spot": only(tier="y")},
    )
    assert referenced_labels(rules) == {"team", "tier"}
    local_queues = replace(rules, routing=LocalQueueRouting(queue_label="q"))
    assert referenced_labels(local_queues) == {"tier", "q", "kueue.x-k8s.io/priority-class"}


def test_workloads_that_differ_in_other_labels_share_one_route() -> None:
    router = Router(policy(queue("a"), rules=[rule(0, "a", only(team="x"))]))
    one, other, third = (
        router.route(workload("w", labels=labels))
        for labels in ({"team": "x", "run": "1"}, {"team": "x", "run": "2"}, {"team": "y"})
    )
    assert one is other
    assert (one.queue, third.queue) == ("a", None)
