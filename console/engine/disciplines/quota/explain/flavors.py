"""Texts about flavors: the obstacle of the workload to each, and the arithmetic of quota."""

from __future__ import annotations

from collections.abc import Iterator

from console.engine.disciplines.quota.trace import (
    FlavorTried,
    GroupStep,
    NodeFact,
    QuotaCheck,
    quota_facts,
)
from console.engine.explain.sentences import (
    ExplainContext,
    Sentence,
    StageText,
    Verdict,
    stage_text,
)
from console.engine.model.amounts import Amount, Unlimited, format_amount
from console.engine.model.common_reasons import BEHIND_OTHERS, NO_FLAVOR_MATCHED
from console.engine.model.decision import Outcome
from console.engine.model.reasons import Shortage
from console.engine.model.trace import FlavorVerdict, PodSetStep, Trace
from console.engine.wording.words import amount, failed_expression, listed, quantity, resource_name

#: Verdicts of a flavor that was not examined in this turn.
_NOT_JUDGED = frozenset(
    {FlavorVerdict.NOT_REACHED, FlavorVerdict.PASSED_BEFORE, FlavorVerdict.NOT_NOMINATED}
)


def flavors(context: ExplainContext) -> StageText:
    """Return the text of the walk over the flavors of every resource group."""
    trace, facts = context.trace, quota_facts(context.trace)
    sentences = [Sentence(text=text) for text in _reductions(trace)]
    sentences += [sentence for group in facts.groups for sentence in _group(context, group)]
    if facts.uncovered:
        verb = "is" if len(facts.uncovered) == 1 else "are"
        names = listed(map(resource_name, facts.uncovered))
        text = f"{names} {verb} in no resource group and not limited."
        sentences.append(Sentence(text=text))
    if facts.undeclared is not None:
        text = (
            f"{resource_name(facts.undeclared)} is in no resource group of {context.queue}, so the "
            "queue cannot admit it."
        )
        origin = trace.queue.origin if trace.queue is not None else None
        sentences.append(Sentence(text=text, verdict=Verdict.FAIL, origin=origin))
    if trace.outcome.outcome is Outcome.ADMITTED:
        verdict = Verdict.PASS
    else:
        judged = bool(facts.groups) or facts.undeclared is not None
        verdict = Verdict.FAIL if judged else Verdict.INFO
    return stage_text("flavors", verdict, sentences)


def obstacle(tried: FlavorTried, queue: str) -> str | None:
    """Return the obstacle to a flavor that does not depend on quota, without a period, or None."""
    match tried.verdict:
        case FlavorVerdict.FLAVOR_MISSING:
            return f"{queue} names {tried.flavor}, which the config does not define"
        case FlavorVerdict.SELECTOR_FALSE if tried.failed is not None:
            return f"{tried.flavor} does not match: it requires {failed_expression(tried.failed)}"
        case FlavorVerdict.TAINT_NOT_TOLERATED:
            taint = f"the taint {tried.taint}" if tried.taint else "a taint"
            return f"{tried.flavor} has {taint}, which its pods do not tolerate"
        case FlavorVerdict.LABELS_DO_NOT_MATCH if tried.failed is not None:
            asked = failed_expression(tried.failed)
            return f"{tried.flavor} does not match: its pods require nodes with {asked}"
        case FlavorVerdict.LABELS_DO_NOT_MATCH:
            return f"{tried.flavor} does not match the node requirements of its pods"
    return None


def borrowed(check: QuotaCheck) -> int:
    """Return the borrowed part of a request that fits, in thousandths."""
    if not check.borrow_level or isinstance(check.nominal, Unlimited):
        return 0
    beyond = check.used + check.assumed + check.requested - check.nominal
    return max(0, min(check.requested, beyond))


def lending_cohort(trace: Trace, check: QuotaCheck) -> str:
    """Return the cohort that a request borrows from, in words."""
    name = check.borrows_from
    if name is None and trace.queue is not None and trace.queue.path:
        name = trace.queue.path[-1]
    return f"cohort {name}" if name else "its cohort"


def _reductions(trace: Trace) -> Iterator[str]:
    for step in trace.pod_sets:
        count = f"{step.reduced_to} of its {step.count} pods"
        if step.reduced_to is not None and trace.outcome.reason.shortage is not None:
            yield f"Pod set {step.name} would start with {count}, and even these do not fit."
        elif step.reduced_to is not None and trace.outcome.reason is not NO_FLAVOR_MATCHED:
            yield f"Pod set {step.name} is tried with {count}: not all of them fit."
        elif _was_too_large(trace, step):
            yield f"Pod set {step.name} does not fit with {step.min_count} pods either."


def _was_too_large(trace: Trace, step: PodSetStep) -> bool:
    fewer = step.min_count is not None and step.min_count < step.count
    return fewer and bool(quota_facts(trace).groups) and trace.outcome.reason.shortage is not None


def _group(context: ExplainContext, group: GroupStep) -> Iterator[Sentence]:
    if group.pod_sets:
        sets, verb = ("Pod set", "needs") if len(group.pod_sets) == 1 else ("Pod sets", "need")
        resources = listed(group.resources)
        text = f"{sets} {listed(group.pod_sets)} {verb} one flavor for {resources}."
        yield Sentence(text=text, origin=group.origin)
    for tried in group.flavors:
        yield from _flavor(context, group, tried)
    reason = context.trace.outcome.reason
    had_choice = len(group.flavors) > 1 and group.chosen is not None
    if had_choice and (reason.shortage is Shortage.NOW or reason is BEHIND_OTHERS):
        yield Sentence(text=f"{group.chosen} comes closest.", origin=group.origin)


def _flavor(context: ExplainContext, group: GroupStep, tried: FlavorTried) -> Iterator[Sentence]:
    if tried.verdict in _NOT_JUDGED and not tried.checks:
        text = _not_judged(group, tried)
        yield Sentence(text=text, verdict=Verdict.SKIP, origin=tried.origin)
    against = obstacle(tried, context.queue)
    if against is not None:
        origin = (tried.failed.origin if tried.failed is not None else None) or tried.origin
        yield Sentence(text=f"{against}.", verdict=Verdict.FAIL, origin=origin)
    for check in tried.checks:
        yield _check(context, tried, check)
        if check.verdict is not FlavorVerdict.FITS or check.borrow_level:
            yield from _pool(context, tried, check)


def _not_judged(group: GroupStep, tried: FlavorTried) -> str:
    match tried.verdict:
        case FlavorVerdict.PASSED_BEFORE:
            return f"{tried.flavor} was tried in an earlier turn; this turn began after it."
        case FlavorVerdict.NOT_NOMINATED:
            return (
                f"{tried.flavor} was skipped: other workloads had claimed the preemption "
                "candidates, so only the flavor found first was tried again."
            )
    if group.chosen is not None and group.chosen != tried.flavor:
        return (
            f"{tried.flavor} was not tried: {group.chosen}, which comes before it, was sufficient."
        )
    return f"{tried.flavor} was not tried."


def _check(context: ExplainContext, tried: FlavorTried, check: QuotaCheck) -> Sentence:
    if check.verdict is FlavorVerdict.EXCEEDS_MAX:
        maximum = quantity(check.maximum, check.resource)
        text = f"{_need(check)} is more than the {maximum} that {context.queue} can ever have"
    else:
        text = f"{_arithmetic(context, check)}: {_ending(context, check)}"
    text = f"{tried.flavor}: {text}."
    return Sentence(
        text=text,
        verdict=Verdict.PASS if check.verdict is FlavorVerdict.FITS else Verdict.FAIL,
        origin=check.origin or tried.origin,
        numbers={
            "requested": check.requested,
            "assumed": check.assumed,
            "nominal": _number(check.nominal),
            "used": check.used,
            "available": _number(check.available),
            "maximum": _number(check.maximum),
            "missing": check.missing,
        },
    )


def _need(check: QuotaCheck) -> str:
    need = amount(check.requested, check.resource)
    if not check.assumed:
        return need
    return f"{need} (after {quantity(check.assumed, check.resource)} for earlier pod sets)"


def _arithmetic(context: ExplainContext, check: QuotaCheck) -> str:
    used, nominal = quantity(check.used, check.resource), quantity(check.nominal, check.resource)
    available = quantity(check.available, check.resource)
    # The difference equals the available amount only for a queue without borrowing or lending.
    if check.nominal - check.used == check.available:
        return f"{_need(check)} of {nominal} nominal - {used} used = {available} available"
    more = available if check.available > 0 else "no"
    return f"{_need(check)}; {context.queue} uses {_use(check)} and can get {more} more"


def _use(check: QuotaCheck) -> str:
    used, nominal = quantity(check.used, check.resource), quantity(check.nominal, check.resource)
    if isinstance(check.nominal, Unlimited) or check.used <= check.nominal:
        return f"{used} of its {nominal} nominal"
    over = quantity(check.used - check.nominal, check.resource)
    return f"{used}, {over} above its {nominal} nominal,"


def _ending(context: ExplainContext, check: QuotaCheck) -> str:
    short = f"{quantity(check.missing, check.resource)} short"
    by_borrowing = ""
    if check.borrow_level:
        by_borrowing = f", borrowing from {lending_cohort(context.trace, check)}"
    match check.verdict:
        case FlavorVerdict.FITS:
            part = borrowed(check)
            if not part:
                return f"fits{by_borrowing}"
            borrows = quantity(part, check.resource)
            return f"fits, borrowing {borrows} from {lending_cohort(context.trace, check)}"
        case FlavorVerdict.NO_ROOM:
            return f"{short}, and it may not preempt beyond its nominal quota"
        case FlavorVerdict.NO_CANDIDATES:
            return f"{short}, preemption cannot free it"
        case FlavorVerdict.PREEMPT:
            return f"{short}, preemption could free it{by_borrowing}"
        case FlavorVerdict.RECLAIM:
            return f"{short}, reclaiming from other queues could free it{by_borrowing}"
    return short


def _pool(context: ExplainContext, tried: FlavorTried, check: QuotaCheck) -> Iterator[Sentence]:
    """Yield sentences on the borrowing limit, the cohorts above and the lenders of a check."""
    if not isinstance(check.borrowing_limit, Unlimited):
        limit = amount(check.borrowing_limit, check.resource)
        text = f"{context.queue} may borrow {limit} on {tried.flavor}"
        if not isinstance(check.nominal, Unlimited):
            borrows = max(0, check.used - check.nominal)
            text += (
                f" and borrows {quantity(borrows, check.resource) if borrows else 'nothing'} now"
            )
        yield Sentence(text=f"{text}.", origin=check.origin or tried.origin)
    for node in check.path:
        yield Sentence(text=_node(node, tried.flavor, check.resource), origin=node.origin)
    if check.lenders and check.verdict is not FlavorVerdict.EXCEEDS_MAX:
        unused = listed(
            f"{amount(value, check.resource)} of {queue}" for queue, value in check.lenders.items()
        )
        unlent = f"Unused nominal quota of other queues on {tried.flavor}, lent or not"
        yield Sentence(text=f"{unlent}: {unused}.")


def _node(node: NodeFact, flavor: str, resource: str) -> str:
    if not node.quota and not node.used:
        return f"Cohort {node.name} has no quota for {resource_name(resource)} on {flavor}."
    used = quantity(node.used, resource) if node.used else "none"
    text = f"Cohort {node.name} pools {amount(node.quota, resource)} on {flavor}: {used} used"
    if isinstance(node.available, int) and node.available < 0:
        text += f", {quantity(-node.available, resource)} over, none available"
    else:
        text += f", {quantity(node.available, resource) if node.available else 'none'} available"
    if not isinstance(node.borrowing_limit, Unlimited):
        text += f"; it may itself borrow {quantity(node.borrowing_limit, resource)} from its parent"
    return f"{text}."


def _number(value: Amount) -> int | str:
    return value if isinstance(value, int) else format_amount(value)
