"""A routing strategy defined in another module works everywhere in the engine."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass

from console.engine.impact.recorded import history_impact
from console.engine.model.consequences import ConsequenceCode
from console.engine.model.decision import Outcome
from console.engine.model.history import History, Live, Shape
from console.engine.model.policy import Policy
from console.engine.model.reasons import Reason, ReasonClass
from console.engine.model.route import Route
from console.engine.model.routing import Destination, NoRouting
from console.engine.model.workload import Workload
from console.engine.routing.missing_labels import missing_labels
from console.engine.routing.referenced_labels import referenced_labels
from console.engine.routing.route_result import accepted_flavors, find_route_result
from console.engine.routing.router import Router
from console.engine.routing.rule_routing import RuleRouting, route_by, rules_of
from console.engine.simulation.consequences import simulate_consequences, successors
from console.engine.state import State
from tests.engine.builders import only, policy, queue, rule, workload

#: Reasons that are not registered, because the registry belongs to the product.
NO_QUEUE = Reason("no_such_queue", label="No such queue", reason_class=ReasonClass.REJECTED)
WAITS = Reason("queue_expected", label="Queue expected", reason_class=ReasonClass.CANNOT_RUN)


@dataclass(frozen=True)
class ByNamespace:
    """
    Routing by namespace: the namespace of a workload is the name of its queue.

    A workload without a namespace is pending, and one whose queue does not exist is rejected.
    A workload with the label ``urgent: yes`` has priority 10.
    """

    stopped: frozenset[str] = frozenset()

    name = "by_namespace"
    label_keys = frozenset({"urgent"})
    may_drain = True
    takes_everything = False
    is_without_quota = False
    reads_users = False

    def attributes(self, workload: Workload) -> Hashable:
        return workload.namespace

    def finder(self, queues: Mapping[str, Destination]) -> NamespaceFinder:
        return NamespaceFinder(self, queues)

    def label_values(self, workload: Workload, route: Route) -> Mapping[str, Iterable[str]]:
        return {"urgent": ["yes"]}

    def entrances(self) -> Mapping[Hashable, str]:
        return {}


@dataclass
class NamespaceFinder:
    """Looks up the namespace among the queues."""

    routing: ByNamespace
    queues: Mapping[str, Destination]

    def route(self, workload: Workload) -> Route:
        name = workload.namespace
        if not name:
            return Route(problem=WAITS)
        if name not in self.queues:
            return Route(rejection=NO_QUEUE)
        return Route(
            queue=name,
            priority=10 if workload.labels.get("urgent") == "yes" else 0,
            drains=name in self.routing.stopped,
        )


def world(*stopped: str) -> Policy:
    return policy(
        queue("train").owns("a100", gpu=2),
        queue("serve").owns("a100", gpu=2),
        flavors={"a100": only(kind="a100")},
        routing=ByNamespace(frozenset(stopped)),
    )


def asking(name: str, namespace: str, **labels: str) -> Workload:
    return workload(name, labels={"kind": "a100"} | labels, namespace=namespace, gpu=1)


def test_state_follows_the_strategy() -> None:
    state = State(world())
    for number, namespace in enumerate(("train", "nowhere", "")):
        state.submit(
            workload(f"w{number}", number, labels={"kind": "a100"}, namespace=namespace, gpu=1)
        )
    decided = [(each.workload, each.outcome, each.reason, each.queue) for each in state.settle()]
    assert sorted(decided) == [
        ("w0", Outcome.ADMITTED, "quota_reserved", "train"),
        ("w1", Outcome.REJECTED, "no_such_queue", None),
        ("w2", Outcome.PENDING, "queue_expected", None),
    ]
    assert state.explain("w2").outcome.reason is WAITS


def test_a_policy_whose_strategy_drains_evicts_what_runs() -> None:
    state = State(world())
    state.submit(asking("a", "train"))
    state.settle()
    state.change_policy(world("train"))
    (evicted,) = state.settle()
    assert (evicted.workload, evicted.outcome, evicted.reason) == (
        "a",
        Outcome.PREEMPTED,
        "drained",
    )


def test_route_results_use_the_strategy() -> None:
    subject = world()
    reached, lost, waiting = (
        find_route_result(subject, asking("a", each)) for each in ("train", "x", "")
    )
    assert (reached.queue, reached.reason, reached.is_refused) == ("train", None, False)
    assert accepted_flavors(reached) == ("a100",)
    assert (lost.queue, lost.reason, lost.outcome) == (None, NO_QUEUE, Outcome.REJECTED)
    assert (waiting.queue, waiting.reason, waiting.outcome) == (None, WAITS, Outcome.PENDING)
    excluded = find_route_result(subject, workload("a", namespace="train", gpu=1))
    assert (excluded.queue, excluded.route.queue, excluded.outcome) == (
        None,
        "train",
        Outcome.REJECTED,
    )


def test_referenced_labels_are_those_of_strategy_and_flavors() -> None:
    subject = world()
    assert referenced_labels(subject) == {"urgent", "kind"}
    (missing,) = missing_labels(subject, find_route_result(subject, asking("a", "train")))
    assert (missing.key, [(b.values, b.route_result.priority) for b in missing.branches]) == (
        "urgent",
        [(("yes",), 10), ((), 0)],
    )


def test_workloads_with_equal_attributes_share_a_route() -> None:
    router = Router(world())
    one = router.route(asking("a", "train", run="1"))
    assert router.route(asking("b", "train", run="2")) is one
    assert router.route(asking("c", "serve", run="1")) is not one
    assert router.route(asking("d", "train", urgent="yes")) is not one


def test_a_change_of_strategy_has_the_consequences_that_it_states() -> None:
    by_rules = policy(queue("train").owns("a100", gpu=2), rules=[rule(0, "train")])
    by_namespace, unrouted = world(), policy(queue("train").owns("a100", gpu=2), rules=())
    assert [each.code for each in simulate_consequences(by_rules, by_namespace, Live())] == [
        ConsequenceCode.CATCH_ALL_LOST
    ]
    assert [each.code for each in simulate_consequences(by_namespace, unrouted, Live())] == [
        ConsequenceCode.QUOTA_DROPPED
    ]
    assert successors(by_namespace, unrouted) == {}


def test_history_is_routed_by_the_strategy() -> None:
    shapes = (Shape(workload=asking("a", "train"), runs=2, last_seen="2026-01-01"),)
    history = History(window_days=30, shapes=shapes)
    (found,) = history_impact(world(), world(), history).shapes
    assert (found.before.queue, found.after.queue) == ("train", "train")


def test_a_config_without_rules_routes_nothing() -> None:
    assert route_by(()) == NoRouting()
    unrouted = policy(queue("train"), rules=())
    result = find_route_result(unrouted, workload("a", priority=7))
    assert (result.queue, result.priority, result.is_refused) == (None, 7, False)
    assert (result.outcome, result.reason) == (Outcome.ADMITTED, "no_rules")
    assert missing_labels(unrouted, result) == ()
    assert (rules_of(unrouted), unrouted.routing.entrances()) == ((), {})
    assert rules_of(world()) == ()
    assert RuleRouting((rule(0, "train", only(x="y")),)).takes_everything is False
