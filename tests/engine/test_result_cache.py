"""The cache of expensive results: most recent results only, bounded by policy size."""

from __future__ import annotations

from console.engine import result_cache
from console.engine.disciplines.quota.spec import QueueSpec, quota_policy
from console.engine.model.policy import Policy
from console.engine.result_cache import MOST_OBJECTS, MOST_RESULTS, CachedFunction


def policy(queues: int) -> Policy:
    """Return a policy with *queues* queues."""
    return quota_policy("native", queues={f"q{n}": QueueSpec(name=f"q{n}") for n in range(queues)})


def recording_function() -> tuple[CachedFunction[[Policy, Policy], int], list[int]]:
    """Return a cached function, and a list that records the number of queues of each call."""
    times: list[int] = []

    @CachedFunction
    def ask(old: Policy, new: Policy) -> int:
        times.append(len(old.queues) + len(new.queues))
        return times[-1]

    return ask, times


def test_results_are_cached_by_object_identity() -> None:
    ask, times = recording_function()
    policies = [policy(n) for n in range(MOST_RESULTS + 2)]
    for each in policies[:MOST_RESULTS]:
        assert ask(policies[0], each) == ask(policies[0], each) == len(each.queues)
    assert times == list(range(MOST_RESULTS))
    # An equal policy is a different cache key.
    ask(policies[0], policy(1))
    assert times[-1] == 1
    # The cache was full: the oldest result is gone, the others are still cached.
    for each in policies[1:MOST_RESULTS]:
        ask(policies[0], each)
    assert len(times) == MOST_RESULTS + 1
    ask(policies[0], policies[0])
    assert len(times) == MOST_RESULTS + 2


def test_only_the_last_result_of_large_policies_is_cached() -> None:
    ask, times = recording_function()
    empty, large = policy(0), [policy(MOST_OBJECTS // 2 + 1) for _ in range(3)]
    for each in large:
        ask(empty, each)
        ask(empty, each)
    assert len(times) == 3
    ask(empty, large[1])
    assert len(times) == 4
    (key,) = ask._results
    assert result_cache._weight(key) == MOST_OBJECTS // 2 + 1
