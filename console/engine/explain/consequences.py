"""Consequences of an apply in words, for whoever has to accept them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from console.engine.model.consequences import ConsequenceCode, Excess, Finding, Gravity, Limit
from console.engine.wording.words import amount, cut, listed, lower_first, plural


@dataclass(frozen=True, slots=True)
class Consequence:
    """What follows from an apply: its code, its sentence, and how it has to be accepted."""

    code: str
    message: str
    level: Gravity


def consequence_sentence(finding: Finding) -> str:
    """
    Return what follows, in one sentence or two.

    >>> consequence_sentence(
    ...     Finding(code=ConsequenceCode.QUEUE_REMOVED, names=("lab",), running=3, pending=1)
    ... )
    'Queue lab goes, with 3 running and 1 waiting: what runs is charged to it until it ends, \
what waits is routed again and rejected where no rule takes it.'
    """
    return _SENTENCES[finding.code](finding)


def _evicted(finding: Finding) -> str:
    return (
        f"{_stopped_ones(finding)} stopped and drained: "
        f"{_at_most(finding)}{plural(finding.running, 'running workload')} "
        f"{_has(finding.running)} to stop."
    )


def _stopped(finding: Finding) -> str:
    return (
        f"{_stopped_ones(finding)} held: {_at_most(finding)}"
        f"{plural(finding.pending, 'waiting workload')} cannot start there any more."
    )


def _stopped_ones(finding: Finding) -> str:
    """Return which queues and local queues, with the verb."""
    queues, local_queues = finding.names, finding.local_queues
    parts = [_queues(finding)] if queues else []
    if local_queues:
        parts.append(f"Local queue{'' if len(local_queues) == 1 else 's'} {cut(local_queues)}")
    verb = "is" if len(queues) + len(local_queues) == 1 else "are"
    return f"{' and '.join([parts[0], *map(lower_first, parts[1:])])} {verb}"


def _at_most(finding: Finding) -> str:
    """Say that not all who are in a queue came through the local queue that is stopped."""
    return "at most " if finding.local_queues else ""


def _rejected(finding: Finding) -> str:
    count = plural(finding.pending, "waiting workload")
    where = f" of {lower_first(_queues(finding))}" if finding.names else ""
    is_one = finding.pending == 1
    return (
        f"{'' if finding.is_exact else 'About '}{count}{where} {'is' if is_one else 'are'} "
        f"rejected: no rule takes {'it' if is_one else 'them'} any more, or no flavor does."
    )


def _removed(finding: Finding) -> str:
    it = "it" if len(finding.names) == 1 else "them"
    return (
        f"{_queues(finding)} {_verb(finding, 'goes', 'go')}, with {_work(finding)}: what runs is "
        f"charged to {it} until it ends, what waits is routed again and rejected where no rule "
        "takes it."
    )


def _drains(finding: Finding) -> str:
    pairs = cut(f"{old} becomes {new}" for old, new in (finding.successors or {}).items())
    return (
        f"{pairs}, with {_work(finding)}: what runs drains under the old name and is not charged "
        "to the new one, so both together may use more than one of them owns until it ends; what "
        f"waits is routed again.{_peaks(finding)}"
    )


def _peaks(finding: Finding) -> str:
    """Say how much queues that drain and those in their place may use at once."""
    if not finding.excesses:
        return ""
    peaks = cut(
        f"{listed([*each.drained, each.name])} up to {amount(each.peak, each.resource)} of "
        f"{each.flavor}, {amount(each.over, each.resource)} more than {each.name} owns"
        f"{_until(each)}"
        for each in finding.excesses
    )
    return f" At the peak they use together: {peaks}."


def _until(excess: Excess) -> str:
    """Say how many workloads have to end until the quota is kept; nothing where it is not known."""
    if not excess.ends:
        return ""
    of = f" of {listed(excess.drained)}" if excess.drained else ""
    workloads = plural(excess.ends, "running workload")
    return f", until at least {workloads}{of} {_has(excess.ends)} ended"


def _catch_all(finding: Finding) -> str:
    return (
        "There is no rule any more that takes everything: a workload that no rule takes is "
        "rejected from now on."
    )


def _quota_dropped(finding: Finding) -> str:
    return "There are no rules any more: every workload is admitted without queue and quota."


def _over_nominal(finding: Finding) -> str:
    cells = cut(
        f"{_owner(each)} {amount(each.quota, each.resource)}: "
        f"{amount(each.over, each.resource)} too much{_until(each)}"
        for each in finding.excesses
    )
    return (
        f"{cells}. Running workloads are not stopped by a change of the config; beyond what a "
        "queue owns they count as borrowing, so a cohort may take the quota back, and without a "
        "cohort nothing more starts."
    )


def _owner(excess: Excess) -> str:
    """Say what is used of what, up to the amount that may be."""
    used = f"{amount(excess.used, excess.resource)} of {excess.flavor}"
    match excess.limit:
        case Limit.NOMINAL:
            return f"{excess.name} uses {used} and will own"
        case Limit.BORROWING:
            return f"{excess.name} uses {used} and may use, with what it borrows, at most"
        case Limit.COHORT:
            return f"the queues of cohort {excess.name} use {used} and may use together at most"


def _flavor_lost(finding: Finding) -> str:
    whose = "its" if len(finding.names) == 1 else "their"
    return (
        f"Running work of {lower_first(_queues(finding))} uses a flavor that is not among {whose} "
        "flavors any more: it keeps what it has until it ends."
    )


def _dialect(finding: Finding) -> str:
    old, new = finding.names
    return f"The language of the config changes from {old} to {new}."


def _warnings(finding: Finding) -> str:
    count = plural(len(finding.names), "warning")
    codes = cut(dict.fromkeys(finding.names))
    return f"The text has {count} that the active version does not have: {codes}."


def _expectation(finding: Finding) -> str:
    count = plural(len(finding.names), "saved expectation")
    verb = _verb(finding, "does", "do")
    return f"{count} {verb} not hold under this text: {cut(finding.names)}."


def _preview(finding: Finding) -> str:
    return (
        "The impact of this text could not be found out, so nobody knows whom it affects; that "
        "is no sign that it affects nobody."
    )


_SENTENCES: dict[ConsequenceCode, Callable[[Finding], str]] = {
    ConsequenceCode.WORK_EVICTED: _evicted,
    ConsequenceCode.QUEUE_REMOVED: _removed,
    ConsequenceCode.CATCH_ALL_LOST: _catch_all,
    ConsequenceCode.QUOTA_DROPPED: _quota_dropped,
    ConsequenceCode.QUEUE_DRAINS: _drains,
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
    return f"{finding.running} running and {finding.pending} waiting"
