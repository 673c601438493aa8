"""Changes that would make the active config accept a rejected workload."""

from __future__ import annotations

from collections.abc import Iterable

from console.engine.counterfactual.change import Change
from console.engine.explain import Sentence
from console.engine.explain.fixes import fixes
from console.engine.model.policy import Policy
from console.engine.routing.nearest_local_queue import nearest_local_queues
from console.engine.routing.nearest_rule import NearestRules
from console.engine.routing.route_result import find_route_result
from console.engine.routing.rule_evaluation import RuleEvaluation, RuleStanding, evaluate_rules
from console.workloads.models import State, Workload
from console.workloads.services.load_state import engine_workloads

#: Maximum number of nearest rules, and of nearest local queues.
_MOST = 3


def accepting_changes(policy: Policy, workload: Workload) -> tuple[tuple[Change, Sentence], ...]:
    """
    Return changes that would make *policy* accept a rejected *workload*, with their sentences.

    Changes that the submitter can make come first. Empty if the workload is not rejected.
    """
    if workload.state != State.REJECTED:
        return ()
    judged = next(engine_workloads(Workload.objects.filter(pk=workload.pk)))
    narrow = _narrowest(evaluate_rules(policy, judged))
    nearest = NearestRules(policy, judged)
    misses = tuple(nearest.nearest_miss(rule.index) for rule in narrow)
    misses += nearest_local_queues(policy, judged, _MOST)
    return tuple(fixes(find_route_result(policy, judged), misses, narrow, judged.priority))


def _narrowest(rules: Iterable[RuleEvaluation]) -> list[RuleEvaluation]:
    missed = [rule for rule in rules if rule.standing is not RuleStanding.TOOK]
    missed.sort(key=lambda rule: sum(not each.holds for each in rule.expressions))
    return missed[:_MOST]
