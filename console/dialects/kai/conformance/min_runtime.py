"""Cases of protection by a minimum runtime."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from console.dialects.conformance.parts import choice, part
from console.dialects.conformance.result import Result
from console.dialects.kai.conformance.case_values import milliseconds, read_spec
from console.dialects.kai.conformance.expectations import expect_allowed, expect_single
from console.dialects.kai.conformance.runner import Runner
from console.engine.disciplines.fairshare.min_runtime import (
    MinRuntimes,
    is_protected,
    may_be_considered,
    may_lose,
)
from console.engine.disciplines.fairshare.spec import ReclaimMethod, Settings


def _run_min_runtime(name: str, case: Mapping[str, Any], engine: object) -> Result:
    found = _min_runtime(case, part(case, "victim_queue", str))
    return expect_single(name, part(case, "expect", dict), "min_runtime_s", found / 1000)


def _run_protected(name: str, case: Mapping[str, Any], engine: object) -> Result:
    victim = part(case, "victim", dict)
    ago = victim.get("last_start_s_ago")
    now = 10**9
    protected = is_protected(
        None if ago is None else now - round(ago * 1000),
        _min_runtime(case, part(victim, "queue", str)),
        now,
    )
    running, minimum = part(victim, "running_pods", int), part(victim, "min_member", int)
    lost = part(victim, "lost_pods", int, 0)
    questions = {
        "candidate": lambda: may_be_considered(running, minimum, protected=protected),
        "loss": lambda: may_lose(running, lost, minimum, protected=protected),
    }
    return expect_allowed(name, case, is_allowed=choice(case, "question", questions, "candidate")())


def _min_runtime(case: Mapping[str, Any], victim: str) -> int:
    """Return the minimum runtime of a victim in the queue *victim*, in milliseconds."""
    runtimes = MinRuntimes(
        tree=read_spec(case).tree,
        settings=Settings(
            preempt_min_runtime=milliseconds(case.get("default_preempt_s")) or 0,
            reclaim_min_runtime=milliseconds(case.get("default_reclaim_s")) or 0,
            reclaim_method=ReclaimMethod(part(case, "method", str, "lca")),
        ),
    )
    kinds = {
        "preempt": lambda: runtimes.within_queue(victim),
        "reclaim": lambda: runtimes.across_queues(part(case, "pending_queue", str), victim),
    }
    return choice(case, "kind", kinds, "")()


RUNNERS: Final[dict[str, Runner]] = {
    "kai_min_runtime": _run_min_runtime,
    "kai_protected": _run_protected,
}
