"""Headlines of the reasons of the discipline."""

from __future__ import annotations

from console.engine.disciplines.hierarchy.nomination import Stage
from console.engine.disciplines.hierarchy.placement import Verdict
from console.engine.disciplines.hierarchy.placement_words import answer
from console.engine.disciplines.hierarchy.trace import CheckStep, facts_of
from console.engine.disciplines.hierarchy.users import WILDCARD
from console.engine.explain import exceeded, pods_on_nodes
from console.engine.explain.pods_on_nodes import placed_pods, preempted_lead, shortages
from console.engine.explain.sentences import ExplainContext
from console.engine.wording.words import amount, cut, plural, quantity, sentence_case

_OF_USER = frozenset({Stage.APPLICATION_LIMIT_USER, Stage.USER_QUOTA})


def over_applications(context: ExplainContext) -> str:
    """Return whose number of applications is exhausted, with the numbers."""
    check = facts_of(context.trace).refusal
    if check is None:
        return f"Waiting in {context.queue}: too many applications run already."
    return (
        f"Waiting in {context.queue}: {limit_of(check)} allows {applications(check.limit)} at the "
        f"same time, and {applications(check.used)} {'runs' if check.used == 1 else 'run'}."
    )


def over_quota(context: ExplainContext) -> str:
    """Return the limits that refuse the start, with their numbers, and what would be possible."""
    facts = facts_of(context.trace)
    check = facts.refusal
    if check is None:
        return f"Waiting in {context.queue}: a limit does not allow it to start."
    pods = facts.pods
    who = "a pod requests" if pods < 2 else f"{plural(pods, 'pod')} that start together request"
    sentences = [f"Waiting in {context.queue}: {_numbers(check, who)}"]
    # The first failing check of each other resource; checks are those of one pod.
    others: dict[str, CheckStep] = {}
    for each in facts.checks:
        if not each.passes and not each.counts_applications and each.resource != check.resource:
            others.setdefault(each.resource, each)
    sentences += [f"Also, {_numbers(each, 'a pod requests')}" for each in others.values()]
    together = " in all" if pods > 1 else ""
    if check.requested > check.limit:
        sentences.append(_possible(check, together))
    sentences += [_possible(each) for each in others.values() if each.requested > each.limit]
    return " ".join(sentences)


def _numbers(check: CheckStep, who: str) -> str:
    used = f"{quantity(check.used, check.resource)} is" if check.used else "nothing is"
    return (
        f"{limit_of(check)} is {amount(check.limit, check.resource)}, of which {used} used, and "
        f"{who} {quantity(check.requested, check.resource)}."
    )


def _possible(check: CheckStep, together: str = "") -> str:
    """Return what would fit, if the request exceeds the whole limit."""
    is_of_nodes = check.stage is Stage.QUEUE_QUOTA and "." not in check.queue
    way = "add nodes" if is_of_nodes else f"have {limit_of(check)} raised"
    if not check.limit:
        return f"{sentence_case(way)}."
    return f"Request at most {amount(check.limit, check.resource)}{together}, or {way}."


def limit_of(check: CheckStep) -> str:
    """
    Return the limit of a check, as the subject of a sentence.

    >>> limit_of(CheckStep(stage=Stage.USER_QUOTA, queue="root.dev", holder="sue"))
    'the limit of user sue in root.dev'
    >>> limit_of(CheckStep(stage=Stage.QUEUE_QUOTA, queue="root.dev"))
    'the maximum of root.dev'
    >>> limit_of(CheckStep(stage=Stage.QUEUE_QUOTA, queue="root"))
    'the capacity of all nodes'
    """
    if check.stage is Stage.QUEUE_QUOTA and "." not in check.queue:
        # The maximum of a root is what the nodes of its partition offer.
        return "the capacity of all nodes"
    if not check.holder:
        return f"the maximum of {check.queue}"
    return f"the limit of {holder(check)} in {check.queue}"


def holder(check: CheckStep) -> str:
    """
    Return the user or group of a check.

    >>> holder(CheckStep(stage=Stage.GROUP_QUOTA, holder="*"))
    'all users without a named group together'
    """
    if check.stage in _OF_USER:
        return f"user {check.holder}"
    if check.holder == WILDCARD:
        return "all users without a named group together"
    return f"group {check.holder}"


def applications(count: int) -> str:
    """Return a number of applications."""
    return plural(count, "application")


def can_never_start(context: ExplainContext) -> str:
    """Return the bounds that the request exceeds, with their numbers, and what is possible."""
    return exceeded.can_never_start(facts_of(context.trace).exceeded)


def no_node(context: ExplainContext) -> str:
    """Return what is short on how many nodes."""
    return pods_on_nodes.no_node(context, facts_of(context.trace).nodes)


def no_room_for_gang(context: ExplainContext) -> str:
    """Return how many of the pods that start together have room, and what refuses the others."""
    facts = facts_of(context.trace)
    lead = f"Waiting in {context.queue}: there is room for {placed_pods(facts.placed, facts.pods)}"
    if facts.refusal is not None and facts.refusal.holder + facts.refusal.queue:
        return f"{lead}, and then {limit_of(facts.refusal)} is exhausted."
    return f"{lead}, and {shortages(facts.nodes)}." if facts.nodes else f"{lead}."


def not_placed(context: ExplainContext) -> str:
    """Return why no placement rule has a queue for the workload."""
    rules = facts_of(context.trace).rules
    if not rules:
        return "Rejected: no placement rule has a queue for it."
    last = rules[-1]
    if last.verdict in (Verdict.BAD_NAME, Verdict.PARENT_IS_LEAF):
        return f"Rejected: {answer(last)}."
    # The rule for applications that have to be accepted says nothing to others.
    stated = [each for each in rules if each.verdict is not Verdict.NOT_FORCED] or list(rules)
    if len(stated) == 1:
        return f"Rejected: {answer(stated[0])}."
    return f"Rejected: none of the placement rules has a queue for it. Last, {answer(stated[-1])}."


def not_created(context: ExplainContext) -> str:
    """Return that the queue of its placement rule was not created, and YuniKorn's cause."""
    rejection = facts_of(context.trace).rejection
    cause = rejection.rpartition("\n")[2]
    if not cause:
        return "Rejected: the queue that its placement rule answers could not be created."
    return f"Rejected: the queue that its placement rule answers could not be created: {cause}."


def gang_too_large(context: ExplainContext) -> str:
    """Return which maximum the pods exceed that start together."""
    facts = facts_of(context.trace)
    check = facts.refusal
    pods = plural(facts.pods, "pod") if facts.pods else "the pods"
    if check is None:
        return f"Rejected: {pods} that start together are larger than a queue allows."
    return (
        f"Rejected: {pods} that start together request {amount(check.requested, check.resource)}, "
        f"and {limit_of(check)} is {quantity(check.limit, check.resource)}."
    )


def unsupported(context: ExplainContext) -> str:
    """Return why the request is not supported."""
    problem = facts_of(context.trace).problem
    return f"Rejected: {problem}" if problem else "Rejected: its request is not supported."


def preempted(context: ExplainContext) -> str:
    """Return for which workload it stops, and the numbers of both queues."""
    step = context.trace.preempted
    if step is None:
        return f"{preempted_lead(context)}: another queue is below its guarantee."
    figures = cut(
        f"{each.queue} used {amount(each.used, each.resource)} with a guarantee of "
        f"{quantity(each.guaranteed, each.resource)}"
        for each in step.uses
    )
    return (
        f"{preempted_lead(context)}: {step.queue} is below its guarantee and needs room for "
        f"{context.name(step.preemptor)}.{f' {figures}.' if figures else ''}"
    )


def preempted_on_node(context: ExplainContext) -> str:
    """Return for which workload it stops, which can only run on that node."""
    step = context.trace.preempted
    if step is None:
        return f"{preempted_lead(context)}: another workload can only run on its node."
    name = context.name(step.preemptor)
    return f"{preempted_lead(context)}: {name} can only run on its node, and needs the room."


def quota_lowered(context: ExplainContext) -> str:
    """Return that the queue uses more than its maximum, which was lowered."""
    return (
        f"{preempted_lead(context)}: the maximum of {context.queue} or of a queue above it was "
        "lowered, and more than it is used."
    )


def gang_timeout(context: ExplainContext) -> str:
    """Return that the pods that start together did not all start."""
    return "Failed: not all pods that start together had room within its timeout."
