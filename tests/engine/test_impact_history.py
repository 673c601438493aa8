"""Impact of another policy on recorded shapes, and what history cannot tell."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.quota.reasons import QUOTA_RESERVED
from console.engine.impact import (
    Doubt,
    DoubtKind,
    Fit,
    HistoryImpact,
    HistoryOutcome,
    ShapeImpact,
    Standing,
    history_impact,
)
from console.engine.model.history import History, Shape
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.selectors import EVERYTHING, MatchExpression, Operator, Selector
from console.engine.routing.local_queues import LocalQueue, LocalQueueRouting
from console.engine.routing.rule_routing import rules_of
from console.engine.state import State
from tests.engine.builders import cohort, only, policy, queue, rule, workload
from tests.engine.strategies import draws, policies, workloads, worlds


def shape(
    name: str,
    runs: int = 1,
    *,
    labels: Mapping[str, str] | None = None,
    namespace: str = "",
    priority: int | None = None,
    gpu: float = 1,
) -> Shape:
    thousandths = workload(name, 1, labels=labels, namespace=namespace, priority=priority, gpu=gpu)
    return Shape(workload=thousandths, runs=runs, last_seen="2026-01-31")


def compared(before: Policy, after: Policy, *shapes: Shape) -> HistoryImpact:
    return history_impact(before, after, History(window_days=30, shapes=shapes))


def outcomes(before: Policy, after: Policy, *shapes: Shape) -> dict[str, str]:
    found = compared(before, after, *shapes)
    return {each.shape.workload.id: each.outcome.value for each in found.shapes}


def label(key: str, operator: Operator, *values: str) -> Selector:
    return Selector((MatchExpression(key, operator, values),))


ML = only(team="ml")
TRAIN = queue("train").owns(gpu=4)
SERVE = queue("serve").owns(gpu=2)
#: Workloads of team ml are routed to train, all others to serve.
BEFORE = policy(TRAIN, SERVE, rules=[rule(0, "train", ML), rule(1, "serve")])


@pytest.mark.parametrize(
    ("after", "outcome", "fit"),
    [
        (policy(TRAIN, SERVE, rules=[rule(0, "train", ML), rule(1, "serve")]), "unchanged", None),
        # Another rule, the same queue.
        (policy(TRAIN, SERVE, rules=[rule(0, "train")]), "unchanged", None),
        (policy(TRAIN, SERVE, rules=[rule(0, "serve")]), "moved", Fit.NOMINAL),
        (policy(TRAIN, rules=[rule(0, "train", ML, default=7)]), "moved", Fit.NOMINAL),
        (policy(TRAIN, rules=[rule(0, "train", only(team="x"))]), "rejected", Fit.REJECTED),
        (
            policy(TRAIN, rules=[rule(0, "train")], flavors={"any": only(team="x")}),
            "rejected",
            Fit.REJECTED,
        ),
        (policy(queue("train").owns(gpu=1), rules=[rule(0, "train")]), "never_fits", Fit.NEVER),
        (
            policy(queue("train").owns(gpu=4).stopped(StopPolicy.HOLD), rules=[rule(0, "train")]),
            "never_fits",
            Fit.CLOSED,
        ),
        (
            policy(
                queue("train").within("ml").owns(gpu=1),
                cohort("ml").owns(gpu=1),
                rules=[rule(0, "train")],
            ),
            "unchanged",
            Fit.BORROWS,
        ),
        (policy(queue("train"), rules=[rule(0, "train")]), "unchanged", Fit.UNCOUNTED),
    ],
)
def test_outcome_of_a_shape_by_policy_change(after: Policy, outcome: str, fit: Fit | None) -> None:
    found = compared(BEFORE, after, shape("a", labels={"team": "ml"}, gpu=2))
    assert [each.outcome.value for each in found.shapes] == [outcome]
    assert found.shapes[0].after.fit is (fit or Fit.NOMINAL)
    assert found.shapes[0].before == Standing(
        queue="train", rule=0, priority=0, fit=Fit.NOMINAL, reason=QUOTA_RESERVED
    )


def test_rejected_shape_becomes_accepted() -> None:
    before = policy(TRAIN, rules=[rule(0, "train", ML)])
    after = policy(queue("train").owns(gpu=9), rules=[rule(0, "train")])
    shapes = [shape("no rule"), shape("too large", labels={"team": "ml"}, gpu=5)]
    assert outcomes(before, after, *shapes) == {"no rule": "accepted", "too large": "accepted"}


def test_routed_shape_that_never_fits_is_not_accepted() -> None:
    before = policy(TRAIN, rules=[rule(0, "train", ML)])
    after = policy(TRAIN, rules=[rule(0, "train")])
    assert outcomes(before, after, shape("a", gpu=5)) == {"a": "never_fits"}


def test_the_shapes_with_the_most_runs_come_first() -> None:
    shapes = [shape("few", 2), shape("many", 9), shape("also few", 2)]
    found = compared(BEFORE, BEFORE, *shapes)
    assert [each.shape.workload.id for each in found.shapes] == ["many", "also few", "few"]
    assert (found.runs, found.window_days, found.is_complete) == (13, 30, True)


def test_a_cut_history_says_so() -> None:
    history = History(window_days=30, shapes=(shape("a"),), is_complete=False)
    assert not history_impact(BEFORE, BEFORE, history).is_complete


# Undecidable from history


def test_rule_on_an_unrecorded_label_cannot_be_decided() -> None:
    after = policy(
        TRAIN,
        SERVE,
        rules=[
            rule(0, "train", ML),
            rule(1, "train", only(stage="prod")),
            rule(2, "serve"),
        ],
    )
    shapes = [shape("ml", 3, labels={"team": "ml"}), shape("others", 2), shape("more", 1, gpu=2)]
    found = compared(BEFORE, after, *shapes)
    assert {each.shape.workload.id: each.outcome.value for each in found.shapes} == {
        "ml": "unchanged",
        "others": "cannot_tell",
        "more": "cannot_tell",
    }
    assert found.doubts == (Doubt(kind=DoubtKind.LABEL, key="stage", rules=(1,), shapes=2, runs=3),)
    doubted = found.shapes[1]
    serve = Standing(queue="serve", rule=1, priority=0, fit=Fit.NOMINAL, reason=QUOTA_RESERVED)
    assert doubted == ShapeImpact(
        shape=shapes[1],
        outcome=HistoryOutcome.CANNOT_TELL,
        before=serve,
        after=Standing(queue="serve", rule=2, priority=0, fit=Fit.NOMINAL, reason=QUOTA_RESERVED),
        doubts=((DoubtKind.LABEL, "stage"),),
    )


@pytest.mark.parametrize(
    ("rules", "outcome"),
    [
        # Whether or not the rule matches, the queue is the same.
        ([rule(0, "serve", only(stage="prod")), rule(1, "serve")], "unchanged"),
        # The rule also requires another label, which the shapes do not have.
        (
            [
                rule(0, "train", Selector((*ML.expressions, *only(stage="x").expressions))),
                rule(1, "serve"),
            ],
            "unchanged",
        ),
        # The rule requires that the label is absent.
        (
            [rule(0, "train", label("stage", Operator.DOES_NOT_EXIST)), rule(1, "serve")],
            "cannot_tell",
        ),
        ([rule(0, "train", label("stage", Operator.NOT_IN, "x")), rule(1, "serve")], "cannot_tell"),
        # No later rule matches, so a workload without the label would be rejected.
        ([rule(0, "serve", label("stage", Operator.EXISTS))], "cannot_tell"),
        # An earlier rule matches with certainty.
        ([rule(0, "serve"), rule(1, "train", only(stage="prod"))], "unchanged"),
        # The rule would set another priority.
        ([rule(0, "serve", only(stage="prod"), default=5), rule(1, "serve")], "cannot_tell"),
    ],
)
def test_undecidable_rule_matters_only_if_outcomes_differ(
    rules: list[object], outcome: str
) -> None:
    after = policy(TRAIN, SERVE, rules=rules)  # type: ignore[arg-type]
    shapes = shape("a"), shape("somebody has a team", labels={"team": "x"})
    assert outcomes(BEFORE, after, *shapes)["a"] == outcome


def test_recorded_label_is_decidable_for_all_shapes() -> None:
    after = policy(TRAIN, SERVE, rules=[rule(0, "train", only(stage="prod")), rule(1, "serve")])
    shapes = shape("has not"), shape("has", labels={"stage": "dev"})
    assert outcomes(BEFORE, after, *shapes) == {"has not": "unchanged", "has": "unchanged"}


def test_label_of_the_current_policy_is_decidable() -> None:
    after = policy(TRAIN, SERVE, rules=[rule(0, "serve", ML), rule(1, "serve")])
    assert outcomes(BEFORE, after, shape("a")) == {"a": "unchanged"}


def test_flavor_on_an_unrecorded_label_cannot_be_decided() -> None:
    after = policy(TRAIN, SERVE, rules=rules_of(BEFORE), flavors={"any": only(zone="a")})
    found = compared(BEFORE, after, shape("a", 4))
    assert [each.outcome for each in found.shapes] == [HistoryOutcome.CANNOT_TELL]
    assert found.doubts == (
        Doubt(kind=DoubtKind.LABEL, key="zone", flavors=("any",), shapes=1, runs=4),
    )


def test_undecidable_flavor_matters_only_if_no_other_fits() -> None:
    both = queue("serve").owns("fixed", gpu=2).owns("zoned", gpu=2)
    after = policy(
        TRAIN, both, rules=rules_of(BEFORE), flavors={"fixed": EVERYTHING, "zoned": only(zone="a")}
    )
    assert outcomes(BEFORE, after, shape("a")) == {"a": "unchanged"}


def test_local_queues_are_undecidable_for_unlabeled_shapes() -> None:
    routing = LocalQueueRouting(
        local_queues={("ml", "main"): LocalQueue(namespace="ml", name="main", queue="train")}
    )
    after = policy(queue("train").owns(gpu=4).allows_namespaces(EVERYTHING), routing=routing)
    found = compared(BEFORE, after, shape("a", 2), shape("b", 3))
    assert {each.outcome for each in found.shapes} == {HistoryOutcome.CANNOT_TELL}
    assert found.doubts == (
        Doubt(kind=DoubtKind.LABEL, key=routing.queue_label, shapes=2, runs=5),
        Doubt(kind=DoubtKind.NAMESPACE, key="", shapes=2, runs=5),
    )
    named = shape("c", labels={routing.queue_label: "main"}, namespace="ml")
    lost = shape("d", labels={routing.queue_label: "gone"}, namespace="ml")
    assert outcomes(after, after, named, lost) == {"c": "unchanged", "d": "unchanged"}
    other = LocalQueueRouting(
        local_queues={("ml", "gone"): LocalQueue(namespace="ml", name="gone", queue="train")}
    )
    renamed = policy(queue("train").owns(gpu=4).allows_namespaces(EVERYTHING), routing=other)
    assert outcomes(after, renamed, named, lost) == {"c": "never_fits", "d": "accepted"}


@worlds(75)
@given(draws())
def test_the_same_policy_changes_nothing(draw: st.DrawFn) -> None:
    same = draw(policies())
    shapes = tuple(
        Shape(workload=draw(workloads(number)), runs=1, last_seen="2026-01-31")
        for number in range(1, draw(st.integers(2, 8)))
    )
    found = compared(same, same, *shapes)
    assert {each.outcome for each in found.shapes} == {HistoryOutcome.UNCHANGED}
    assert found.doubts == ()
    assert all(each.before == each.after for each in found.shapes)


@worlds(75)
@given(draws())
def test_predicted_fit_of_a_shape_is_the_outcome_in_the_engine(draw: st.DrawFn) -> None:
    before, after = draw(policies()), draw(policies())
    # All shapes share one judge, which must not carry state from one shape to the next.
    shapes = tuple(
        Shape(workload=draw(workloads(number)), runs=1, last_seen="2026-01-31")
        for number in range(1, draw(st.integers(2, 8)))
    )
    for each in compared(before, after, *shapes).shapes:
        state = State(after)
        state.submit(each.shape.workload)
        state.settle()
        uid = each.shape.workload.id
        assert each.after.fit.starts == (uid in state.running)
        assert (each.after.fit is Fit.REJECTED) == (not state.has_workload(uid))
