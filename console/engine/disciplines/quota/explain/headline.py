"""Headlines of the quota reasons: sentences with the flavors and amounts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from console.engine.disciplines.quota.explain.flavors import borrowed, lending_cohort, obstacle
from console.engine.disciplines.quota.explain.preemption import finds_no_candidate
from console.engine.disciplines.quota.trace import (
    FlavorTried,
    GroupStep,
    QuotaCheck,
    QuotaFacts,
    quota_facts,
)
from console.engine.explain.sentences import ExplainContext
from console.engine.model.amounts import Amount
from console.engine.model.decision import Outcome
from console.engine.model.trace import FlavorVerdict, Trace
from console.engine.wording.words import (
    amount,
    failed_expression,
    listed,
    quantity,
    resource_name,
)

#: Verdicts of a flavor that cannot satisfy the request under this config.
_OUT = frozenset(
    {
        FlavorVerdict.FLAVOR_MISSING,
        FlavorVerdict.SELECTOR_FALSE,
        FlavorVerdict.TAINT_NOT_TOLERATED,
        FlavorVerdict.LABELS_DO_NOT_MATCH,
        FlavorVerdict.EXCEEDS_MAX,
        FlavorVerdict.NOT_REACHED,
    }
)


#: The most obstacles in one sentence.
_OBSTACLES = 2


def admitted(context: ExplainContext) -> str:
    """Return the headline of an admission: its flavors and borrowed amounts."""
    trace, queue, facts = context.trace, context.queue, quota_facts(context.trace)
    flavors = sorted({f for each in trace.outcome.assignment for f in each.flavors.values()})
    if not flavors:
        return f"Admitted in {queue}: it requests no resource that the queue limits."
    parts = [
        f"{amount(borrowed(check), check.resource)} on {tried.flavor} from "
        f"{lending_cohort(trace, check)}"
        for tried, check in _borrowing(facts)
    ]
    why = f": it borrows {listed(parts)}" if parts else ": its request fits the free quota"
    if not facts.groups:
        # It was admitted earlier; the quota check is in the decision of that time.
        why = ""
    fewer = _fewer_pods(trace)
    reduced = f" with {fewer}" if fewer else ""
    return f"Admitted in {queue} on {listed(flavors)}{reduced}{why}."


def borrowing(trace: Trace) -> str:
    """Return the amounts that a workload would borrow, to append to its flavors; or ""."""
    parts = [
        f"{amount(borrowed(check), check.resource)} from {lending_cohort(trace, check)}"
        for _, check in _borrowing(quota_facts(trace))
    ]
    return f", borrowing {listed(parts)}" if parts else ""


def no_flavor(context: ExplainContext) -> str:
    """Return the headline of a workload that no flavor of its queue accepts."""
    queue, facts = context.queue, quota_facts(context.trace)
    is_rejected = context.trace.outcome.outcome is Outcome.REJECTED
    lead = "Rejected" if is_rejected else "Can never run under this config"
    if facts.undeclared is not None:
        resource = resource_name(facts.undeclared)
        return f"{lead}: it requests {resource}, which is in no resource group of {queue}."
    tried = [flavor for group in facts.groups for flavor in group.flavors]
    failed = [flavor.failed for flavor in tried if flavor.failed is not None]
    if all(flavor.verdict is FlavorVerdict.SELECTOR_FALSE for flavor in tried):
        lead = f"{lead}: no flavor of {queue} accepts its labels"
        if len({(f.key, f.operator, f.values) for f in failed}) == 1:
            return f"{lead}; they need {failed_expression(failed[0])}."
        return f"{lead}."
    against = [text for each in tried if (text := obstacle(each, queue)) is not None]
    lead = f"{lead}: no flavor of {queue} accepts its pods"
    return f"{'; '.join([lead, *against[:_OBSTACLES]])}."


def exceeds(context: ExplainContext) -> str:
    """Return the headline of a workload whose request exceeds its queue, and what is possible."""
    parts, possible = [], []
    for group in quota_facts(context.trace).groups:
        exceeded = [(flavor.flavor, found) for flavor in group.flavors if (found := _over(flavor))]
        if not _usable(group) and exceeded:
            flavor, checks = min(exceeded, key=lambda pair: _distance(pair[1]))
            asked = listed(amount(each.requested + each.assumed, each.resource) for each in checks)
            most = listed(
                amount(each.maximum, each.resource)
                if len(checks) > 1
                else quantity(each.maximum, each.resource)
                for each in checks
            )
            parts.append(
                f"it requests {asked}, but {context.queue} can never have more than {most} "
                f"on {flavor}"
            )
            possible += [amount(each.maximum, each.resource) for each in checks if each.maximum]
    why = "; ".join(parts) or f"it requests more than {context.queue} can ever have"
    fewest = _fewer_pods(context.trace)
    even = f"even with {fewest}, " if fewest else ""
    less = f"Request at most {listed(possible)}, or have" if possible else "Have"
    way = f" {less} the quota of {context.queue} raised." if parts else ""
    return f"Can never run under this config: {even}{why}.{way}"


def short(context: ExplainContext) -> str:
    """Return the headline of a workload that waits for quota: the missing amounts."""
    parts = [
        f"needs {amount(check.requested + check.assumed, check.resource)} on {flavor.flavor}, "
        f"{quantity(max(0, check.available), check.resource)} free now, "
        f"{quantity(check.missing, check.resource)} short"
        for group in quota_facts(context.trace).groups
        for flavor in _closest(group)
        for check in flavor.checks
        if check.missing
    ]
    why = "; ".join(parts) or "the quota that it needs is in use"
    fewest = _fewer_pods(context.trace)
    if fewest:
        why = f"to start with {fewest} it {why}" if parts else f"{why}, even for {fewest}"
    if finds_no_candidate(quota_facts(context.trace).preemption):
        why += "; no workload may be preempted for it"
    return f"Waiting for quota in {context.queue}: {why}."


def _fewer_pods(trace: Trace) -> str:
    """Return the pod sets that start, or were tried, with fewer pods than requested; or ""."""
    return listed(
        f"{each.reduced_to} of {each.count} pods of {each.name}"
        for each in trace.pod_sets
        if each.reduced_to is not None
    )


def _borrowing(facts: QuotaFacts) -> Iterator[tuple[FlavorTried, QuotaCheck]]:
    """Yield the checks of the flavors taken that borrow."""
    for group in facts.groups:
        for tried in group.flavors:
            if tried.flavor == group.chosen:
                yield from ((tried, check) for check in tried.checks if borrowed(check))


def _closest(group: GroupStep) -> list[FlavorTried]:
    """Return the chosen flavor, or else the flavor with the smallest missing amount."""
    if group.chosen is not None:
        return [flavor for flavor in group.flavors if flavor.flavor == group.chosen]
    full = [flavor for flavor in group.flavors if flavor.verdict is FlavorVerdict.NO_ROOM]
    return sorted(full, key=lambda flavor: sum(c.missing for c in flavor.checks))[:1]


def _usable(group: GroupStep) -> bool:
    return any(flavor.verdict not in _OUT for flavor in group.flavors)


def _over(flavor: FlavorTried) -> list[QuotaCheck]:
    """Return the checks of *flavor* whose request exceeds the limit of the queue."""
    return [check for check in flavor.checks if check.verdict is FlavorVerdict.EXCEEDS_MAX]


def _distance(checks: Sequence[QuotaCheck]) -> tuple[int, int]:
    """Return the sort key of too small flavors: fewest resources, then the largest limit."""
    return len(checks), -max(_rank(check.maximum) for check in checks)


def _rank(value: Amount) -> int:
    return value if isinstance(value, int) else 1 << 80
