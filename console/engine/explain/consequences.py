"""Sentences about the consequences of an apply, which a person has to accept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from console.engine.model.consequences import (
    ConfirmationLevel,
    ConsequenceCode,
    Excess,
    Finding,
    Limit,
)
from console.engine.wording.words import amount, cut, listed, lower_first, plural

#: Maximum number of amounts that are listed one by one.
_MOST_ITEMS: Final = 20


@dataclass(frozen=True, slots=True)
class Consequence:
    """A consequence of an apply: its code, its sentence, and how it has to be accepted."""

    code: str
    message: str
    level: ConfirmationLevel
    #: The message without its amounts, and the amounts as a list; without *items*, the message.
    headline: str
    items: tuple[str, ...] = ()

    @property
    def needs_acceptance(self) -> bool:
        """Whether it has to be accepted by its code; otherwise it is only stated."""
        return self.level is not ConfirmationLevel.BUTTON


def consequence_of(finding: Finding) -> Consequence:
    """Return the consequence that *finding* is."""
    code, message = finding.code.value, consequence_sentence(finding)
    if finding.code is not ConsequenceCode.QUEUE_DRAINS or not finding.excesses:
        return Consequence(code, message, finding.level, message)
    items = _peak_items(finding)
    more = len(items) - _MOST_ITEMS
    if more > 0:
        items = (*items[:_MOST_ITEMS], f"{more:,} more")
    headline = f"{message.removesuffix(_peaks(finding))} Combined peak usage:"
    return Consequence(code, message, finding.level, headline, items)


def consequence_sentence(finding: Finding) -> str:
    """
    Return one or two sentences about a consequence.

    >>> consequence_sentence(
    ...     Finding(code=ConsequenceCode.QUEUE_REMOVED, names=("lab",), running=3, pending=1)
    ... )
    'Queue lab is removed, with 3 running and 1 pending: running workloads stay charged to it \
until they end, pending workloads are routed again and rejected where no rule matches.'
    """
    return _SENTENCES[finding.code](finding)


def _evicted(finding: Finding) -> str:
    return (
        f"{_stopped_ones(finding)} stopped and drained: "
        f"{_at_most(finding)}{plural(finding.running, 'running workload')} "
        f"{'is' if finding.running == 1 else 'are'} preempted."
    )


def _stopped(finding: Finding) -> str:
    return (
        f"{_stopped_ones(finding)} held: {_at_most(finding)}"
        f"{plural(finding.pending, 'pending workload')} cannot start there."
    )


def _stopped_ones(finding: Finding) -> str:
    """Return the names of the queues and local queues, with the verb."""
    queues, local_queues = finding.names, finding.local_queues
    parts = [_queues(finding)] if queues else []
    if local_queues:
        parts.append(f"Local queue{'' if len(local_queues) == 1 else 's'} {cut(local_queues)}")
    verb = "is" if len(queues) + len(local_queues) == 1 else "are"
    return f"{' and '.join([parts[0], *map(lower_first, parts[1:])])} {verb}"


def _at_most(finding: Finding) -> str:
    """Return "at most " for local queues: other local queues may route to the same queue."""
    return "at most " if finding.local_queues else ""


def _rejected(finding: Finding) -> str:
    count = plural(finding.pending, "pending workload")
    where = f" of {lower_first(_queues(finding))}" if finding.names else ""
    is_one = finding.pending == 1
    return (
        f"{'' if finding.is_exact else 'About '}{count}{where} {'is' if is_one else 'are'} "
        f"rejected: no rule, or no flavor, matches {'it' if is_one else 'them'} any more."
    )


def _removed(finding: Finding) -> str:
    it = "it" if len(finding.names) == 1 else "them"
    return (
        f"{_queues(finding)} {_verb(finding, 'is', 'are')} removed, with {_work(finding)}: running "
        f"workloads stay charged to {it} until they end, pending workloads are routed again and "
        "rejected where no rule matches."
    )


def _drains(finding: Finding) -> str:
    pairs = cut(f"{old} becomes {new}" for old, new in (finding.successors or {}).items())
    if finding.is_continued:
        return (
            f"{pairs}, with {_work(finding)}: running workloads stay charged to the old name until "
            f"they end; pending workloads are routed again.{_peaks(finding)}"
        )
    return (
        f"{pairs}, with {_work(finding)}: running workloads drain under the old name and are not "
        "charged to the new one, so both together may use more than the quota of one until they "
        f"end; pending workloads are routed again.{_peaks(finding)}"
    )


def _becomes_parent(finding: Finding) -> str:
    return (
        f"{_queues(finding)} {_verb(finding, 'is', 'are')} only for queues below, with "
        f"{_work(finding)}: running workloads stay until they end, pending workloads are routed "
        "again and rejected where no rule matches."
    )


def _peaks(finding: Finding) -> str:
    """Return the combined peak usage of draining queues and the queues that replace them."""
    if not finding.excesses:
        return ""
    return f" Combined peak usage: {cut(_peak_items(finding))}."


def _peak_items(finding: Finding) -> tuple[str, ...]:
    """Return the combined peak usage of each flavor-resource."""
    return tuple(
        f"{listed([*each.drained, each.name])} up to {amount(each.peak, each.resource)} on "
        f"{each.flavor}, {amount(each.over, each.resource)} above the quota of {each.name}"
        f"{_until(each)}"
        for each in finding.excesses
    )


def _until(excess: Excess) -> str:
    """Return how many workloads have to end before usage is within quota; "" if not known."""
    if not excess.ends:
        return ""
    of = f" of {listed(excess.drained)}" if excess.drained else ""
    workloads = plural(excess.ends, "running workload")
    return f", until at least {workloads}{of} {_has(excess.ends)} ended"


def _catch_all(finding: Finding) -> str:
    return (
        "No rule matches every workload any more: a workload that no rule matches is rejected "
        "from now on."
    )


def _quota_dropped(finding: Finding) -> str:
    return "The config has no rules any more: every workload is admitted without a queue or quota."


def _over_nominal(finding: Finding) -> str:
    cells = cut(
        f"{_owner(each)} {amount(each.quota, each.resource)}: "
        f"{amount(each.over, each.resource)} over{_until(each)}"
        for each in finding.excesses
    )
    continues = "A config change does not stop running workloads"
    if all(each.limit is Limit.QUEUE for each in finding.excesses):
        return f"{cells}. {continues}; no further workload starts above the limit."
    if all(each.limit is Limit.QUOTA for each in finding.excesses):
        return (
            f"{cells}. {continues}; other queues may reclaim usage above the quota, and no further "
            "workload that cannot be preempted starts above it."
        )
    if all(each.limit is Limit.GUARANTEE for each in finding.excesses):
        return (
            f"{cells}. {continues}; queues below their guarantee may preempt pods above this one."
        )
    if all(each.limit is Limit.STOPPING for each in finding.excesses):
        return (
            f"{cells}. No further pod starts above the maximum, and running pods above it stop "
            "after the delay of the queue."
        )
    return (
        f"{cells}. {continues}; usage above the nominal quota "
        "counts as borrowing, so a cohort may reclaim it, and without a cohort no further workload "
        "starts."
    )


def _owner(excess: Excess) -> str:
    """Return the usage of the queue or cohort, up to the amount of the quota."""
    used = f"{amount(excess.used, excess.resource)} on {excess.flavor}"
    match excess.limit:
        case Limit.QUEUE | Limit.STOPPING:
            return f"{excess.name} uses {used} and may use at most"
        case Limit.GUARANTEE:
            return f"{excess.name} uses {used} and will have a guarantee of"
        case Limit.QUOTA:
            return f"{excess.name} uses {used} and will have a quota of"
        case Limit.NOMINAL:
            return f"{excess.name} uses {used} and will have a nominal quota of"
        case Limit.BORROWING:
            return f"{excess.name} uses {used} and may use, borrowing included, at most"
        case Limit.COHORT:
            return f"the queues of cohort {excess.name} use {used} and may use together at most"


def _flavor_lost(finding: Finding) -> str:
    has = _verb(finding, "the queue no longer has", "the queues no longer have")
    return (
        f"Running workloads of {lower_first(_queues(finding))} use a flavor that {has}: they keep "
        "their quota until they end."
    )


def _dialect(finding: Finding) -> str:
    old, new = finding.names
    return f"The config language changes from {old} to {new}."


def _warnings(finding: Finding) -> str:
    count = plural(len(finding.names), "warning")
    codes = cut(dict.fromkeys(finding.names))
    return f"The text has {count} that the active version does not have: {codes}."


def _expectation(finding: Finding) -> str:
    count = plural(len(finding.names), "expectation")
    verb = _verb(finding, "is", "are")
    return f"{count} {verb} not met by this text: {cut(finding.names)}."


def _preview(finding: Finding) -> str:
    return (
        "The impact of this text could not be computed, so the affected workloads are unknown; "
        "this does not mean that there are none."
    )


_SENTENCES: dict[ConsequenceCode, Callable[[Finding], str]] = {
    ConsequenceCode.WORK_EVICTED: _evicted,
    ConsequenceCode.QUEUE_REMOVED: _removed,
    ConsequenceCode.CATCH_ALL_LOST: _catch_all,
    ConsequenceCode.QUOTA_DROPPED: _quota_dropped,
    ConsequenceCode.QUEUE_DRAINS: _drains,
    ConsequenceCode.QUEUE_BECOMES_PARENT: _becomes_parent,
    ConsequenceCode.QUEUE_STOPPED: _stopped,
    ConsequenceCode.PENDING_REJECTED: _rejected,
    ConsequenceCode.OVER_NOMINAL: _over_nominal,
    ConsequenceCode.FLAVOR_LOST: _flavor_lost,
    ConsequenceCode.DIALECT_CHANGED: _dialect,
    ConsequenceCode.WARNINGS_ADDED: _warnings,
    ConsequenceCode.EXPECTATION_BROKEN: _expectation,
    ConsequenceCode.PREVIEW_UNAVAILABLE: _preview,
}


def _queues(finding: Finding) -> str:
    return f"{'Queue' if len(finding.names) == 1 else 'Queues'} {cut(finding.names)}"


def _verb(finding: Finding, one: str, several: str) -> str:
    return one if len(finding.names) == 1 else several


def _has(count: int) -> str:
    return "has" if count == 1 else "have"


def _work(finding: Finding) -> str:
    return f"{finding.running} running and {finding.pending} pending"
