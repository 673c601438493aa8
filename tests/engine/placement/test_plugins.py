"""Installed plugins: what they decide, how decisions are explained, and how they fail."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import Any, Final

import pytest

from console.engine.disciplines.placement.nominate import RETRY
from console.engine.disciplines.placement.plugin import (
    KEEP,
    Cluster,
    Job,
    PlacementPlugin,
    Verdict,
    drop,
    keep,
)
from console.engine.disciplines.placement.plugin_host import HOST
from console.engine.disciplines.placement.reasons import (
    MOVED,
    NOT_PLACEABLE,
    PLACED,
    PLUGIN_FAILED,
    REMOVED_BY_PLUGIN,
    REPLICAS_DO_NOT_FIT,
    REPLICAS_LOST,
)
from console.engine.disciplines.placement.spec import (
    AFFINITY_PLUGIN,
    DEFAULT_PLUGIN,
    OnUnplaceable,
    PluginUse,
    Rank,
)
from console.engine.explain import explain
from console.engine.model.decision import Decision
from console.engine.model.plugins import FoundPlugin
from console.engine.model.stored_trace import trace_from_json, trace_to_json
from console.engine.model.workload import Workload
from console.engine.state import State
from tests.engine.placement.plugins import installed
from tests.engine.placement.worlds import cluster, inventory, job, policy

#: Two clusters with labels; b has more capacity.
CLUSTERS: Final = (
    cluster("a", {"cpu": 4}, labels={"tier": "1"}),
    cluster("b", {"cpu": 8}, labels={"tier": "2"}),
)


class Plugin(PlacementPlugin):
    """A plugin of functions."""

    def __init__(self, answer: Callable[..., Any]) -> None:
        self.answer = answer


class Filters(Plugin):
    """A plugin whose filter is a function."""

    def filter(self, job: Job, cluster: Cluster) -> Verdict:
        return self.answer(job, cluster)


class Scores(Plugin):
    """A plugin whose score is a function."""

    def score(self, job: Job, cluster: Cluster) -> int | Fraction | None:
        return self.answer(job, cluster)


class Spreads(Plugin):
    """A plugin whose spread is a function."""

    def spread(self, job: Job, clusters: tuple[Cluster, ...]) -> Mapping[str, int]:
        return self.answer(job, clusters)


def uses(*names: str | tuple[str, int]) -> tuple[PluginUse, ...]:
    """Return plugins of a config, some with a weight."""
    pairs = [(each, 1) if isinstance(each, str) else each for each in names]
    return tuple(PluginUse(name=name, weight=weight) for name, weight in pairs)


def state_of(plugins: tuple[PluginUse, ...], **settings: Any) -> State:
    state = State(policy(plugins=plugins, **settings))
    state.change_inventory(inventory(CLUSTERS))
    return state


def decide(
    plugin: PlacementPlugin,
    workload: Workload,
    plugins: tuple[PluginUse, ...] = uses(DEFAULT_PLUGIN, "mine"),
    **settings: Any,
) -> Decision:
    """Return the decision about *workload* with *plugin* as the plugin `mine`."""
    with installed({"mine": plugin}):
        state = state_of(plugins, **settings)
        state.submit(workload)
        (decision,) = state.settle()
    assert trace_from_json(trace_to_json(decision.trace)) == decision.trace
    return decision


def sentences(decision: Decision) -> list[str]:
    """Return the sentences about the placement."""
    stage = next(each for each in explain(decision.trace).stages if each.stage == "placement")
    return [each.text for each in stage.sentences]


def replicas(decision: Decision) -> dict[str, int]:
    counts: dict[str, int] = {}
    for assigned in decision.assignment:
        for place in assigned.places:
            counts[place.cluster or ""] = counts.get(place.cluster or "", 0) + place.count
    return counts


def only_tier_1(job: Job, cluster: Cluster) -> Verdict:
    if cluster.labels["tier"] == "1":
        return keep("It is of tier 1.")
    return drop(f"It is of\ntier {cluster.labels['tier']}")


def test_filter_removes_clusters_with_its_sentence() -> None:
    decision = decide(Filters(only_tier_1), job(1, {"cpu": 1}))
    assert replicas(decision) == {"a": 1}
    assert sentences(decision) == [
        "1. a takes 1 replica: its free capacity counts 4.",
        "mine about a: It is of tier 1.",
        "b is removed by the plugin mine: It is of tier 2.",
        "The replica is placed.",
    ]


def test_job_waits_if_plugins_remove_every_cluster_with_room() -> None:
    decision = decide(Filters(only_tier_1), job(1, {"cpu": 5}))
    assert decision.reason is REMOVED_BY_PLUGIN
    assert explain(decision.trace).headline == (
        "Waiting: the plugin mine removes b. It is of tier 2."
    )


def test_plugins_see_only_clusters_that_those_before_kept() -> None:
    seen = []
    only_a = {"filters": [{"name": "f", "match_labels": {"tier": "1"}}]}

    def note(job: Job, cluster: Cluster) -> Verdict:
        seen.append(cluster.name)
        return KEEP

    decide(Filters(note), job(1, {"cpu": 1}, placement=only_a))
    decide(
        Filters(note),
        job(1, {"cpu": 1}, placement=only_a),
        uses(DEFAULT_PLUGIN, AFFINITY_PLUGIN, "mine"),
    )
    assert seen == ["a", "b", "a"]


PREFERS_A: Final = {
    "preferences": [{"name": "p", "match_labels": {"tier": "1"}, "weight": 50}],
}


@pytest.mark.parametrize(
    ("rank", "weights", "placement", "told"),
    [
        pytest.param(
            Rank.LEXICOGRAPHIC,
            (1, 1),
            None,
            [
                "1. b takes 1 replica: its free capacity counts 8, mine scores 2, the sum is 10.",
                "2. a takes none: its free capacity counts 4, mine scores 5/2, the sum is 13/2.",
            ],
            id="added to the capacity",
        ),
        pytest.param(
            Rank.LEXICOGRAPHIC,
            (1, 10),
            None,
            [
                (
                    "1. a takes 1 replica: its free capacity counts 4, mine scores 5/2, times its "
                    "weight 10, the sum is 29."
                ),
                (
                    "2. b takes none: its free capacity counts 8, mine scores 2, times its weight "
                    "10, the sum is 28."
                ),
            ],
            id="weight of the plugin",
        ),
        pytest.param(
            Rank.LEXICOGRAPHIC,
            (2, 10),
            None,
            [
                (
                    "1. b takes 1 replica: its free capacity counts 8, times 2 for the weight of "
                    "DefaultPlugin, mine scores 2, times its weight 10, the sum is 36."
                ),
                (
                    "2. a takes none: its free capacity counts 4, times 2 for the weight of "
                    "DefaultPlugin, mine scores 5/2, times its weight 10, the sum is 33."
                ),
            ],
            id="weight of the capacity",
        ),
        pytest.param(
            Rank.LEXICOGRAPHIC,
            (1, 1),
            PREFERS_A,
            [
                (
                    "1. a takes 1 replica: its best preference has weight 50 of 50, its free "
                    "capacity counts 4, mine scores 5/2, the sum is 13/2."
                ),
                (
                    "2. b takes none: it matches no preference, which is weight 1 of 50, its free "
                    "capacity counts 8, mine scores 2, the sum is 10."
                ),
            ],
            id="preferences of the job first",
        ),
        pytest.param(
            Rank.PRODUCT,
            (2, 100),
            PREFERS_A,
            [
                (
                    "1. a takes 1 replica: its best preference has weight 50 of 50, its free "
                    "capacity counts 4, times 100 is a score of 400, times 2 for the weight of "
                    "DefaultPlugin, mine scores 5/2, times its weight 100, the sum is 1050."
                ),
                (
                    "2. b takes none: it matches no preference, which is weight 1 of 50, its free "
                    "capacity counts 8, times 2 is a score of 16, times 2 for the weight of "
                    "DefaultPlugin, mine scores 2, times its weight 100, the sum is 232."
                ),
            ],
            id="product",
        ),
    ],
)
def test_scores_are_added_with_the_weights_of_plugins(
    rank: Rank, weights: tuple[int, int], placement: Any, told: list[str]
) -> None:
    decision = decide(
        Scores(lambda job, cluster: Fraction(5, 2) if cluster.name == "a" else 2),
        job(1, {"cpu": 1}, placement=placement),
        uses((DEFAULT_PLUGIN, weights[0]), ("mine", weights[1])),
        rank=rank,
    )
    assert sentences(decision) == [*told, "The replica is placed."]


def test_no_opinion_adds_nothing() -> None:
    decision = decide(Scores(lambda job, cluster: None), job(1, {"cpu": 1}))
    assert sentences(decision)[0] == "1. b takes 1 replica: its free capacity counts 8."


def test_first_plugin_spreads() -> None:
    decision = decide(
        Spreads(lambda job, clusters: {each.name: 2 for each in clusters}),
        job(1, {"cpu": 1}, replicas=4),
        uses("mine", DEFAULT_PLUGIN),
    )
    assert replicas(decision) == {"a": 2, "b": 2}
    assert sentences(decision)[-1] == "All 4 replicas are placed by the plugin mine."


def test_plugin_that_is_not_the_first_does_not_spread() -> None:
    decision = decide(Spreads(lambda job, clusters: 1 / 0), job(1, {"cpu": 1}, replicas=4))
    assert replicas(decision) == {"b": 4}


def test_job_waits_if_the_spread_is_not_complete() -> None:
    decision = decide(
        Spreads(lambda job, clusters: {"a": 3}),
        job(1, {"cpu": 1}, replicas=4),
        uses("mine", DEFAULT_PLUGIN),
    )
    assert decision.reason is REPLICAS_DO_NOT_FIT
    assert sentences(decision)[-1] == (
        "3 of 4 replicas would fit by the plugin mine; a job is placed as a whole or not at all."
    )


class Unprintable:
    """A value whose text cannot be read."""

    def __repr__(self) -> str:
        raise ValueError("no")


def change_an_argument(job: Job, cluster: Cluster) -> Verdict:
    cluster.nodes[0].free["cpu"] = 0  # type: ignore[index]
    return KEEP


def change_the_placement(job: Job, cluster: Cluster) -> Verdict:
    job.placement.preferences[0].labels["tier"] = "3"  # type: ignore[index]
    return KEEP


FILTERS: Final = uses(DEFAULT_PLUGIN, "mine")
SPREADS: Final = uses("mine", DEFAULT_PLUGIN)


@pytest.mark.parametrize(
    ("plugin", "plugins", "error"),
    [
        (Filters(lambda *_: {}["rack"]), FILTERS, "KeyError: 'rack'."),
        (Filters(lambda *_: None), FILTERS, "filter returned None, which is no Verdict."),
        (Filters(lambda *_: True), FILTERS, "filter returned True, which is no Verdict."),
        (
            Filters(lambda *_: Verdict(keeps=1)),  # type: ignore[arg-type]
            FILTERS,
            "filter returned Verdict(keeps=1, sentence=''), which is no Verdict.",
        ),
        (
            Filters(lambda *_: Unprintable()),
            FILTERS,
            "filter returned a value without a text (ValueError: no), which is no Verdict.",
        ),
        (
            Filters(change_an_argument),
            FILTERS,
            "TypeError: 'mappingproxy' object does not support item assignment.",
        ),
        (
            Filters(change_the_placement),
            FILTERS,
            "TypeError: 'mappingproxy' object does not support item assignment.",
        ),
        (Scores(lambda *_: 0.5), FILTERS, "score returned 0.5, which is no int or Fraction."),
        (Scores(lambda *_: True), FILTERS, "score returned True, which is no int or Fraction."),
        (Scores(lambda *_: 10**16), FILTERS, "score returned a number with more than 15 digits."),
        (Spreads(lambda *_: None), SPREADS, "spread returned None, which is no mapping."),
        (
            Spreads(lambda *_: {"c": 1}),
            SPREADS,
            "spread names a cluster that does not remain: 'c'.",
        ),
        (Spreads(lambda *_: {"a": -1}), SPREADS, "spread puts -1 replicas on a."),
        (Spreads(lambda *_: {"a": True}), SPREADS, "spread puts True replicas on a."),
        (
            Spreads(lambda *_: {"a": 1, "b": 2}),
            SPREADS,
            "spread places 3 replicas, but the job has 2.",
        ),
        (Spreads(lambda *_: {"a": 2}), SPREADS, "spread puts 2 replicas on a, where 1 fit."),
    ],
)
def test_failure_is_told_and_the_job_waits(
    plugin: PlacementPlugin, plugins: tuple[PluginUse, ...], error: str
) -> None:
    workload = job(1, {"cpu": 3}, replicas=2, placement=PREFERS_A)
    decision = decide(plugin, workload, plugins)
    assert decision.reason is PLUGIN_FAILED
    assert explain(decision.trace).headline == f"Waiting: the plugin mine failed. {error}"
    assert sentences(decision)[-1] == (f"The plugin mine failed, so the job is not placed: {error}")


def test_failure_rejects_the_job_if_the_config_rejects_jobs_without_a_placement() -> None:
    decision = decide(
        Filters(lambda *_: 1 / 0), job(1, {"cpu": 1}), on_unplaceable=OnUnplaceable.FAIL
    )
    assert decision.reason is NOT_PLACEABLE
    assert explain(decision.trace).headline == (
        "Rejected: the plugin mine failed on arrival, and the config rejects jobs without a "
        "placement. ZeroDivisionError: division by zero."
    )


def test_plugin_that_is_not_installed_fails_decisions() -> None:
    with installed({"broken": object()}):
        for name, error in (
            ("gone", "It is not installed."),
            ("broken", "It is no PlacementPlugin."),
        ):
            state = state_of(uses(DEFAULT_PLUGIN, name))
            state.submit(job(1, {"cpu": 1}))
            (decision,) = state.settle()
            assert explain(decision.trace).headline == (
                f"Waiting: the plugin {name} failed. {error}"
            )


class FailsForOne(Filters):
    """A filter that reads a label of jobs."""

    job_labels = ("team",)


def test_failure_concerns_one_job_only() -> None:
    def fail_for_red(job: Job, cluster: Cluster) -> Verdict:
        assert "other" not in job.labels
        if job.labels.get("team") == "red":
            raise ValueError("red")
        return KEEP

    with installed({"mine": FailsForOne(fail_for_red)}):
        state = state_of(uses(DEFAULT_PLUGIN, "mine"))
        for number, team in enumerate(("blue", "red", "blue"), start=1):
            state.submit(job(number, {"cpu": 1}, labels={"team": team, "other": "x"}))
        reasons = {each.workload: each.reason for each in state.settle()}
    assert reasons == {"w1": PLACED, "w2": PLUGIN_FAILED, "w3": PLACED}


def test_waiting_job_is_asked_again_when_less_is_free() -> None:
    """The plugin allows the first job only on clusters that others use."""

    def used(job: Job, cluster: Cluster) -> Verdict:
        is_used = any(each.free != each.offered for each in cluster.nodes)
        return KEEP if is_used or job.replicas == 1 else drop("Nothing runs there.")

    with installed({"mine": Filters(used)}):
        state = state_of(uses(DEFAULT_PLUGIN, "mine"))
        state.submit(job(1, {"cpu": 1}, replicas=2))
        assert [each.reason for each in state.settle()] == [REMOVED_BY_PLUGIN]
        state.submit(job(2, {"cpu": 1}))
        placed = [(each.workload, replicas(each)) for each in state.settle()]
    assert placed == [("w2", {"b": 1}), ("w1", {"b": 2})]


def test_lost_replicas_are_asked_again_when_less_is_free() -> None:
    def used_or_a(job: Job, cluster: Cluster) -> Verdict:
        is_used = any(each.free != each.offered for each in cluster.nodes)
        is_kept = is_used or cluster.name == "a" or job.replicas == 1
        return KEEP if is_kept else drop("Nothing runs there.")

    with installed({"mine": Filters(used_or_a)}):
        state = state_of(uses(DEFAULT_PLUGIN, "mine"))
        state.submit(job(1, {"cpu": 2}, replicas=2))
        assert [replicas(each) for each in state.settle()] == [{"a": 2}]
        state.change_inventory(inventory(CLUSTERS[1:]))
        assert [each.reason for each in state.settle()] == [REPLICAS_LOST]
        state.submit(job(2, {"cpu": 1}))
        assert [(each.workload, each.reason) for each in state.settle()] == [
            ("w2", PLACED),
            ("w1", MOVED),
        ]


@pytest.mark.parametrize("reads_free", [True, False])
def test_jobs_are_asked_again_some_time_after_a_failure(*, reads_free: bool) -> None:
    fails = [True]

    class Busy(Filters):
        """A filter that fails for a cause that passes."""

    def answer(job: Job, cluster: Cluster) -> Verdict:
        if fails[0]:
            raise TimeoutError
        return KEEP

    Busy.reads_free = reads_free
    with installed({"mine": Busy(answer)}):
        state = state_of(uses(DEFAULT_PLUGIN, "mine"))
        state.advance(1_000)
        state.submit(job(1, {"cpu": 1}))
        assert [each.reason for each in state.settle()] == [PLUGIN_FAILED]
        assert state.next_wakeup == 1_000 + RETRY
        state.advance(1_000 + RETRY - 1)
        assert state.is_settled
        # It fails once more, which is nothing new.
        state.advance(1_000 + RETRY)
        assert not state.is_settled
        assert state.settle() == []
        assert state.next_wakeup == 1_000 + 2 * RETRY
        fails[0] = False
        state.advance(1_000 + 2 * RETRY)
        assert [each.reason for each in state.settle()] == [PLACED]
        assert state.next_wakeup is None


class ByLabels(Filters):
    """A filter that reads no free amounts."""

    reads_free = False


@pytest.fixture
def asked() -> Iterator[list[tuple[str, str]]]:
    """Yield the calls of a filter that depends on labels alone."""
    calls: list[tuple[str, str]] = []

    def note(job: Job, cluster: Cluster) -> Verdict:
        assert all(not each.free and each.offered for each in cluster.nodes)
        calls.append((f"{job.replicas} replicas", cluster.name))
        return KEEP

    with installed({"mine": ByLabels(note)}):
        yield calls


def test_plugin_by_labels_is_asked_again_only_if_released_capacity_may_suffice(
    asked: list[tuple[str, str]],
) -> None:
    state = state_of(uses(DEFAULT_PLUGIN, "mine"))
    # 5 on b, 3 on a, 1 on b; 1 CPU of a and 2 of b are left.
    for number, cpus in enumerate((5, 3, 1, 4), start=1):
        state.submit(job(number, {"cpu": cpus}))
    state.settle()
    asked.clear()
    state.finish("w3")
    state.settle()
    assert asked == []
    state.finish("w2")
    state.settle()
    assert asked != []
    assert state.pending.keys() == set()


def test_two_packages_with_one_name_provide_no_plugin() -> None:
    with installed({}):
        found = [
            FoundPlugin(name="mine", plugin=Filters(only_tier_1), package=package)
            for package in ("one 1.0", "two 2.0")
        ]
        HOST.install(found, HOST.guard)
        assert dict(HOST.plugins) == {}
        assert dict(HOST.problems) == {"mine": "one 1.0 and two 2.0 both provide it."}


@pytest.mark.parametrize(
    ("name", "plugin", "problem"),
    [
        (DEFAULT_PLUGIN, Filters(only_tier_1), "The name belongs to a plugin of Sluice."),
        ("mine", "text", "It is no PlacementPlugin."),
        ("mine", PlacementPlugin(), "It overrides neither filter nor score nor spread."),
        (
            "mine",
            type("Wrong", (Filters,), {"job_labels": "team"})(only_tier_1),
            "Its job_labels are not a tuple of texts.",
        ),
    ],
)
def test_object_that_cannot_be_used_is_a_problem(name: str, plugin: object, problem: str) -> None:
    with installed({name: plugin}):
        assert (dict(HOST.plugins), dict(HOST.problems)) == ({}, {name: problem})
