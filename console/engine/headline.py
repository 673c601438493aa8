"""The headline: one plain sentence that says where a workload is and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from console.engine.amounts import Amount, format_amount
from console.engine.decision import Reason
from console.engine.trace import FlavorVerdict, GroupStep, Trace
from console.engine.words import (
    amount,
    failed_expression,
    listed,
    out_of_range,
    plural,
    sentence_case,
)


def headline(trace: Trace, names: Mapping[str, str]) -> str:
    """Return the headline of *trace*; *names* has display names of workloads by id."""
    queue = trace.queue.name if trace.queue is not None else "its queue"
    return _HEADLINES[trace.outcome.reason](_Headline(trace, names), queue)


@dataclass(frozen=True, slots=True)
class _Headline:
    trace: Trace
    names: Mapping[str, str]

    def admitted(self, queue: str) -> str:
        flavors = sorted(set(self.trace.outcome.assignment.values()))
        if not flavors:
            return f"Admitted in {queue}: it asks for nothing that the queue limits."
        return f"Admitted in {queue} on {listed(flavors)}: its request fits the free quota."

    def no_rule(self, queue: str) -> str:
        count = len(self.trace.rules)
        lead = (
            "Rejected: the only scheduling rule does not take it."
            if count == 1
            else f"Rejected: none of the {count} scheduling rules takes it."
        )
        refused = next((p for p in self.trace.priorities if p.effective is None), None)
        if refused is not None:
            return f"{lead} {sentence_case(out_of_range(refused))}."
        for rule in self.trace.rules:
            if rule.failed is not None:
                return f"{lead} Rule {rule.index + 1} asks for {failed_expression(rule.failed)}."
        return lead

    def no_flavor(self, queue: str) -> str:
        failed = [
            flavor.failed
            for group in self.trace.groups
            for flavor in group.flavors
            if flavor.failed is not None
        ]
        lead = f"Rejected: no flavor of {queue} accepts its labels"
        if len({(f.key, f.operator, f.values) for f in failed}) == 1:
            return f"{lead}; they need {failed_expression(failed[0])}."
        return f"{lead}."

    def exceeds(self, queue: str) -> str:
        parts = []
        for group in self.trace.groups:
            checks = [
                (flavor.flavor, check)
                for flavor in group.flavors
                for check in flavor.checks
                if check.verdict is FlavorVerdict.EXCEEDS_MAX
            ]
            if not _usable(group) and checks:
                flavor, check = max(checks, key=lambda pair: _rank(pair[1].maximum))
                parts.append(
                    f"it asks for {amount(check.requested, check.resource)}, and {queue} can "
                    f"never have more than {format_amount(check.maximum)} on {flavor}"
                )
        why = "; ".join(parts) or f"it asks for more than {queue} can ever have"
        return f"Can never run under this config: {why}."

    def short(self, queue: str) -> str:
        parts = []
        for group in self.trace.groups:
            for flavor in group.flavors:
                if flavor.flavor == group.chosen:
                    parts += [
                        f"needs {amount(check.requested, check.resource)} on {flavor.flavor}, "
                        f"{format_amount(check.available)} free now, "
                        f"{format_amount(check.missing)} short"
                        for check in flavor.checks
                        if check.missing
                    ]
        why = "; ".join(parts) or "what it needs is in use"
        return f"Waiting for quota in {queue}: {why}."

    def soon(self, queue: str) -> str:
        count = len(self.trace.outcome.victims)
        if not count:
            return f"Starting soon in {queue}: it fits as soon as preempted workloads have stopped."
        return (
            f"Starting soon in {queue}: {plural(count, 'workload')} "
            f"{'is' if count == 1 else 'are'} being stopped to make room."
        )

    def preempted(self, queue: str) -> str:
        step = self.trace.preempted
        if step is None:
            return "Preempted: it was told to stop and holds its quota until it is released."
        name = self.names.get(step.preemptor, step.preemptor)
        return (
            f"Preempted: {name} with priority {step.preemptor_priority} "
            f"needs its room, and {step.queue} may preempt ({step.rule})."
        )


_HEADLINES: dict[Reason, Callable[[_Headline, str], str]] = {
    Reason.NO_RULES: lambda _, queue: (
        "Admitted without a queue: the config has no scheduling rules."
    ),
    Reason.PASSTHROUGH: lambda _, queue: f"Admitted: {queue} takes everything without quota.",
    Reason.QUOTA_RESERVED: _Headline.admitted,
    Reason.NO_RULE_MATCHED: _Headline.no_rule,
    Reason.NO_FLAVOR_MATCHED: _Headline.no_flavor,
    Reason.QUEUE_HELD: lambda _, queue: f"Waiting: {queue} is on hold and admits nothing new.",
    Reason.EXCEEDS_MAX_QUOTA: _Headline.exceeds,
    Reason.WAITING_FOR_PREEMPTED: _Headline.soon,
    Reason.WAITING_FOR_QUOTA: _Headline.short,
    Reason.BEHIND_OTHERS: lambda _, queue: (
        f"Waiting in {queue}: it fits alone, but the free quota is promised to others."
    ),
    Reason.NOT_EVALUATED: lambda _, queue: (
        "Not looked at yet: it was submitted and waits for its first evaluation."
    ),
    Reason.PREEMPTED_IN_QUEUE: _Headline.preempted,
    Reason.WITHDRAWN_WHILE_RUNNING: lambda _, queue: (
        "Withdrawn while it ran: it has given back its quota and has to stop."
    ),
}


def _usable(group: GroupStep) -> bool:
    rejected = (
        FlavorVerdict.EXCEEDS_MAX,
        FlavorVerdict.SELECTOR_FALSE,
        FlavorVerdict.NOT_REACHED,
    )
    return any(flavor.verdict not in rejected for flavor in group.flavors)


def _rank(amount: Amount) -> int:
    return amount if isinstance(amount, int) else 1 << 62
