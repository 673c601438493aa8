"""The workload tester: truth tables, the nearest miss of every rule, branches, and fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from console.engine.disciplines.quota.spec import (
    Flavor,
    FlavorQuotas,
    QueueSpec,
    Quota,
    ResourceGroup,
    quota_policy,
)
from console.engine.explain.route_result import route_sentence
from console.engine.explain.workload_tests import (
    branch_words,
    fit_sentences,
    near_sentence,
    obstacle_words,
    rule_sentence,
    values_words,
)
from console.engine.impact.fit import Fit, StandingEvaluator, request_of
from console.engine.model.common_reasons import QUEUE_STOPPED
from console.engine.model.decision import Outcome
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.selectors import EVERYTHING, MatchExpression, Operator, Selector
from console.engine.model.workload import PodSet, Workload
from console.engine.routing.local_queues import LocalQueue, LocalQueueRouting, PriorityClass
from console.engine.routing.missing_labels import missing_labels
from console.engine.routing.nearest_local_queue import nearest_local_queues
from console.engine.routing.nearest_rule import (
    BUDGET_OF_ALL,
    NearestRules,
    NearMiss,
    changed_labels,
)
from console.engine.routing.route_result import find_route_result
from console.engine.routing.router import Router
from console.engine.routing.rule_evaluation import (
    RuleStanding,
    evaluate_local_queues,
    evaluate_rules,
)
from console.engine.routing.rule_routing import route_by, rules_of
from console.engine.routing.rules import OnViolation, PriorityPolicy, Rule
from console.engine.simulation.fitting import Fitting
from console.engine.state import State

REJECT, FORCE = OnViolation.REJECT, OnViolation.FORCE_UPDATE


def selector(*expressions: tuple[str, Operator, tuple[str, ...]]) -> Selector:
    """Return a selector in which all expressions must match."""
    return Selector(tuple(MatchExpression(*each) for each in expressions))


def one_of(key: str, *values: str) -> tuple[str, Operator, tuple[str, ...]]:
    """Return an expression that matches any of *values*."""
    return key, Operator.IN, values


def routes(*rules: tuple[Selector, PriorityPolicy]) -> Policy:
    """Return a policy whose rule *i* routes to queue ``q<i>``, which is passthrough."""
    return quota_policy(
        "any",
        queues={f"q{i}": QueueSpec(name=f"q{i}", is_passthrough=True) for i in range(len(rules))},
        routing=route_by(
            Rule(index=i, queue=f"q{i}", selector=chosen, priority=priority)
            for i, (chosen, priority) in enumerate(rules)
        ),
    )


def asking(labels: Mapping[str, str] | None = None, **fields: object) -> Workload:
    """Return a workload that requests two GPUs by default."""
    pods = (PodSet(requests={"gpu": 2000}),)
    return replace(Workload(id="w", sequence=0, labels=labels or {}, pod_sets=pods), **fields)


TEAM = selector(one_of("team", "ml", "web"))
TEAM_EU = selector(one_of("team", "ml"), ("region", Operator.NOT_IN, ("us",)))
ANY = PriorityPolicy()


def misses(policy: Policy, workload: Workload) -> list[str]:
    """Return the nearest miss of every rule that does not match *workload*, as sentences."""
    nearest = NearestRules(policy, workload)
    took = find_route_result(policy, workload).route.rule
    return [
        near_sentence(nearest.nearest_miss(r.index)) for r in rules_of(policy) if r.index != took
    ]


def test_every_rule_has_a_verdict():
    policy = routes(
        (TEAM_EU, PriorityPolicy(maximum=100)), (TEAM, ANY), (EVERYTHING, ANY), (TEAM_EU, ANY)
    )
    workload = asking({"team": "ml", "region": "us"}, priority=7)
    truths = evaluate_rules(policy, workload)
    assert [[(e.actual, e.holds) for e in rule.expressions] for rule in truths] == [
        [("ml", True), ("us", False)],
        [("ml", True)],
        [],
        [("ml", True), ("us", False)],
    ]
    assert [rule_sentence(rule, 1) for rule in truths] == [
        "Does not match: 1 of its 2 expressions is false.",
        "Accepts it.",
        "Would accept it, but rule 2 comes first.",
        "Does not match: 1 of its 2 expressions is false.",
    ]
    refused = evaluate_rules(policy, asking({"team": "ml"}, priority=101))[0]
    assert refused.standing is RuleStanding.PRIORITY_OUT_OF_RANGE
    assert rule_sentence(refused, 1) == (
        "Matches, but rule 1 accepts priorities up to 100, not 101."
    )


def test_nearest_miss_satisfies_a_rule_and_avoids_earlier_ones():
    policy = routes((TEAM_EU, ANY), (TEAM, ANY), (EVERYTHING, ANY))
    assert misses(policy, asking()) == ["Set team to ml.", "Set team to web."]
    assert misses(policy, asking({"team": "ml", "region": "eu"})) == [
        "Set team to web.",
        "Set team to any value but ml and web.",
    ]
    assert misses(policy, asking({"team": "web", "region": "us"})) == [
        "Set team to ml and set region to any value but us.",
        "Set team to any value but ml and web.",
    ]


def test_nearest_miss_removes_an_excluded_label():
    policy = routes((selector(("debug", Operator.DOES_NOT_EXIST, ())), ANY), (EVERYTHING, ANY))
    assert misses(policy, asking({"debug": "1"})) == ["Remove debug."]
    assert misses(policy, asking()) == ["Set debug to any value."]


def test_nearest_miss_changes_the_priority_if_needed():
    reject = PriorityPolicy(minimum=10, maximum=100, on_violation=REJECT)
    policy = routes((TEAM, reject), (EVERYTHING, reject), (EVERYTHING, ANY))
    assert misses(policy, asking({"team": "ml"}, priority=500)) == [
        "Request priority 100.",
        "Set team to any value but ml and web and request priority 100.",
    ]
    assert misses(policy, asking({"team": "x"}, priority=50)) == [
        "Set team to ml.",
        "Request priority 9.",
    ]


def test_unreachable_rule_is_proven():
    policy = routes(
        (EVERYTHING, PriorityPolicy(minimum=1, on_violation=FORCE)),
        (TEAM, ANY),
        (selector(one_of("a", "1"), one_of("a", "2")), ANY),
    )
    nearest = NearestRules(policy, asking())
    impossible = [NearMiss(queue=f"q{i}", rule=i, is_possible=False) for i in (1, 2)]
    assert [nearest.nearest_miss(1), nearest.nearest_miss(2)] == impossible
    assert near_sentence(impossible[0]) == ("No labels and priority can match it.")


KEYS, VALUES = ("a", "b", "c"), ("1", "2", "3")
expressions = st.builds(
    lambda key, operator, values: MatchExpression(
        key, operator, tuple(values) if operator in (Operator.IN, Operator.NOT_IN) else ()
    ),
    st.sampled_from(KEYS),
    st.sampled_from(list(Operator)),
    st.lists(st.sampled_from(VALUES[:2]), min_size=1, max_size=2, unique=True),
)
bounds = st.one_of(st.none(), st.integers(1, 3))
policies = st.lists(
    st.tuples(
        st.lists(expressions, max_size=3).map(lambda each: Selector(tuple(each))),
        st.builds(PriorityPolicy, minimum=bounds, maximum=bounds, default=st.none()),
    ),
    min_size=1,
    max_size=4,
).map(lambda rules: routes(*rules))
labels = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(VALUES))


def fewest(policy: Policy, workload: Workload, rule: int) -> int | None:
    """Return the fewest changes after which *rule* matches *workload*, by exhaustive search."""
    router = Router(policy)
    for count in range(len(KEYS) + 2):
        for changed in all_changes(workload, count):
            if router.route(changed).rule == rule:
                return count
    return None


def all_changes(workload: Workload, count: int) -> Iterator[Workload]:
    """Yield *workload* with every change of *count* of its labels and its priority."""
    for subset in combinations((*KEYS, "priority"), count):
        keys = [key for key in subset if key != "priority"]
        for values in product((*VALUES, None), repeat=len(keys)):
            changed = changed_labels(workload.labels, dict(zip(keys, values, strict=True)))
            for priority in (None, *range(6)) if "priority" in subset else (workload.priority,):
                yield replace(workload, labels=changed, priority=priority)


@given(policies, labels, st.one_of(st.none(), st.integers(0, 5)))
def test_nearest_miss_is_the_smallest_change(
    policy: Policy, labels: dict[str, str], priority: int | None
):
    workload = asking(labels, priority=priority)
    nearest = NearestRules(policy, workload)
    for rule in rules_of(policy):
        miss = nearest.nearest_miss(rule.index)
        found = len(miss.labels) + miss.changes_priority if miss.is_possible else None
        assert not miss.is_cut
        assert found == fewest(policy, workload, rule.index)


def test_searches_behind_many_rules_share_a_budget(monkeypatch):
    """Each earlier rule can be avoided in 30 ways, so that six have 30 ** 6 combinations."""
    values = [f"v{number}" for number in range(30)]
    in_the_way = tuple(
        Rule(
            index=index,
            queue="a",
            selector=selector((f"k{index}", Operator.NOT_IN, tuple(values))),
        )
        for index in range(60)
    )
    policy = quota_policy("any", queues={"a": QueueSpec(name="a")}, routing=route_by(in_the_way))
    nearest = NearestRules(policy, asking({}))
    looks: list[int] = []
    look = NearestRules.next_steps

    def counted(self: NearestRules, rule: Rule, changed: Workload) -> object:
        looks.append(rule.index)
        return look(self, rule, changed)

    monkeypatch.setattr(NearestRules, "next_steps", counted)
    assert not nearest.nearest_miss(1).is_cut
    assert all(nearest.nearest_miss(index).is_cut for index in range(20, 60))
    assert len(looks) < BUDGET_OF_ALL // 10
    # Earlier searches get more of the shared budget.
    assert looks.count(20) > looks.count(59)


def test_label_values_of_many_rules_are_hashed_once():
    class Value(str):
        __slots__ = ()
        hashed = 0

        def __hash__(self) -> int:
            Value.hashed += 1
            return str.__hash__(self)

    rules = tuple(
        Rule(index=index, queue="a", selector=selector(one_of("k", Value(f"v{index}"))))
        for index in range(500)
    )
    policy = quota_policy("any", queues={"a": QueueSpec(name="a")}, routing=route_by(rules))
    router = Router(policy)
    Value.hashed = 0
    nearest = NearestRules(policy, asking({}), router)
    assert Value.hashed < 5 * len(rules)
    assert nearest.nearest_miss(499).labels[0].after == "v499"


def quota(nominal: int) -> Quota:
    return Quota(nominal=nominal * 1000)


GPUS = quota_policy(
    "any",
    flavors={
        "a100": Flavor(name="a100", selector=selector(one_of("accelerator", "a100"))),
        "any": Flavor(name="any"),
    },
    queues={
        "research": QueueSpec(
            name="research",
            groups=(
                ResourceGroup(
                    resources=("gpu",),
                    flavors=(
                        FlavorQuotas(flavor="a100", quotas={"gpu": quota(16)}),
                        FlavorQuotas(flavor="any", quotas={"gpu": quota(4)}),
                    ),
                ),
            ),
        )
    },
    routing=route_by((Rule(index=0, queue="research"),)),
)


def test_a_missing_label_shows_what_each_value_would_change():
    missing = missing_labels(GPUS, find_route_result(GPUS, asking()))
    assert [
        (label.key, [(values_words(b), branch_words(b)) for b in label.branches])
        for label in missing
    ] == [
        (
            "accelerator",
            [
                ("a100", "research by rule 1 with priority 0 on a100 and any"),
                ("any other value", "research by rule 1 with priority 0 on any"),
            ],
        )
    ]
    assert missing_labels(GPUS, find_route_result(GPUS, asking({"accelerator": "a100"}))) == ()


def test_fit_states_whether_a_workload_can_start_now_or_ever():
    fitting = Fitting(GPUS, {"research": {("any", "gpu"): 3000}, "gone": {("any", "gpu"): 1}})
    fit = fitting.fit(find_route_result(GPUS, asking()))
    assert list(fit_sentences(fit)) == [
        "It can fit: if nothing else ran, it would start on any.",
        "Waiting for quota in research: needs 2 GPUs on any, 1 free now, 1 short.",
    ]
    assert [
        (f.flavor, obstacle_words(f), [(s.requested, s.maximum, s.available) for s in f.shares])
        for f in fit.flavors
    ] == [
        (
            "a100",
            "Does not match: it requires accelerator in [a100], but the label is absent.",
            [(2000, 16000, 16000)],
        ),
        ("any", "Accepts it.", [(2000, 4000, 1000)]),
    ]
    labeled = fitting.fit(find_route_result(GPUS, asking({"accelerator": "a100"})))
    assert list(fit_sentences(labeled))[1] == "It fits now: it would start on a100."
    large = asking(pod_sets=(PodSet(requests={"gpu": 9000}),))
    assert list(fit_sentences(fitting.fit(find_route_result(GPUS, large)))) == [
        (
            "Can never run under this config: it requests 9 GPUs, but research can never have more "
            "than 4 on any. Request at most 4 GPUs, or have the quota of research raised."
        ),
    ]


def test_held_queue_starts_no_workload_now():
    fit = Fitting(GPUS, {}, ["research", "gone"]).fit(find_route_result(GPUS, asking()))
    assert list(fit_sentences(fit)) == [
        "It can fit: if nothing else ran, it would start on any.",
        "Waiting: research is on hold and admits nothing new.",
    ]


ROUTING = LocalQueueRouting(
    local_queues={
        (local_queue.namespace, local_queue.name): local_queue
        for local_queue in (
            LocalQueue(namespace="vision", name="main", queue="vision"),
            LocalQueue(namespace="vision", name="shared", queue="speech"),
            LocalQueue(namespace="vision", name="lost", queue="gone"),
            LocalQueue(namespace="speech", name="main", queue="speech"),
            LocalQueue(namespace="speech", name="shut", queue="speech", stop=StopPolicy.HOLD),
        )
    },
    namespaces={"vision": {"team": "vision"}, "speech": {"team": "speech"}},
    priority_classes={"high": PriorityClass(name="high", value=100)},
    queue_label="door",
    priority_label="class",
)
DOORS = quota_policy(
    "any",
    queues={
        name: QueueSpec(name=name, is_passthrough=True, namespaces=selector(one_of("team", name)))
        for name in ("vision", "speech")
    }
    | {"closed": QueueSpec(name="closed", is_passthrough=True)},
    routing=ROUTING,
)


def test_local_queues_have_their_own_verdicts():
    workload = asking({"door": "shared"}, namespace="vision")
    route_result = find_route_result(DOORS, workload)
    assert route_sentence(route_result) == (
        "It reaches no queue: speech does not admit workloads of namespace vision."
    )
    assert [
        (
            d.local_queue.name,
            d.is_taken,
            d.leads,
            d.is_allowed,
            [(e.actual, e.holds) for e in d.expressions],
        )
        for d in evaluate_local_queues(DOORS, workload)
    ] == [
        ("shared", True, True, False, [("vision", False)]),
        ("main", False, True, True, [("vision", True)]),
        ("lost", False, False, False, []),
    ]
    assert [near_sentence(miss) for miss in nearest_local_queues(DOORS, workload, 10)] == [
        "Set door to main.",
        "Be in namespace speech and set door to main.",
        "No local queue leads here from a namespace that this queue admits.",
    ]


def test_nearest_miss_removes_a_missing_priority_class():
    workload = asking({"door": "main", "class": "low"}, namespace="speech")
    assert route_sentence(find_route_result(DOORS, workload)) == (
        "Waiting: there is no priority class low."
    )
    assert [near_sentence(miss) for miss in nearest_local_queues(DOORS, workload, 2)] == [
        "Be in namespace vision and remove class.",
        "Remove class.",
    ]


def test_stopped_local_queue_has_the_reason_of_the_engine():
    workload = asking({"door": "shut"}, namespace="speech")
    route_result = find_route_result(DOORS, workload)
    standing = StandingEvaluator(DOORS).standing(workload, request_of(workload))
    state = State(DOORS)
    state.submit(workload)
    (decision,) = state.settle()
    assert (route_result.queue, route_result.outcome, route_result.reason) == (
        None,
        Outcome.PENDING,
        QUEUE_STOPPED,
    )
    assert (standing.queue, standing.fit, standing.reason) == (
        None,
        Fit.STRANDED,
        QUEUE_STOPPED,
    )
    assert (decision.queue, decision.outcome, decision.reason) == (
        None,
        Outcome.PENDING,
        QUEUE_STOPPED,
    )
    assert route_sentence(route_result) == (
        "Waiting: local queue shut of namespace speech is stopped and admits nothing to speech."
    )


def test_unlabeled_workload_uses_the_default_local_queue():
    policy = replace(DOORS, routing=replace(ROUTING, default_local_queue="main"))
    workload = asking({}, namespace="vision")
    assert route_sentence(find_route_result(policy, workload)) == (
        "Local queue main of namespace vision by default routes it to vision with priority 0."
    )
    assert [(d.local_queue.name, d.is_taken) for d in evaluate_local_queues(policy, workload)] == [
        ("main", True),
        ("shared", False),
        ("lost", False),
    ]
    assert [near_sentence(miss) for miss in nearest_local_queues(policy, workload, 10)] == [
        "Be in namespace speech.",
        "No local queue leads here from a namespace that this queue admits.",
    ]
