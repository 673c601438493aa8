"""Row of a queue: state, quota bars, routing rules and local queues."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from console.engine.model.amounts import FlavorResource
from console.engine.model.capacity_node import CapacityNode
from console.engine.model.origin import Origin
from console.engine.model.policy import Policy, StopPolicy
from console.engine.model.selectors import MatchExpression, Selector
from console.engine.routing.local_queues import local_routing_of
from console.engine.routing.rule_routing import rules_of
from console.pages.presenters.quota_bars.quota_bar import Bar, bar_of
from console.pages.queue_form import state_of
from console.workloads.queries import QueueView
from console.workloads.queries.freshness import CURRENT, Freshness
from console.workloads.queries.over_quota import OverQuotaSince

#: State of a queue -> title.
STATE_TITLES = {
    "accepting": "Accepting",
    "held": "Held",
    "draining": "Draining",
    "passthrough": "Passthrough",
}


@dataclass(frozen=True, kw_only=True)
class QueueRow:
    """One queue with its bars, which are computed on access: lists show only the tightest bar."""

    view: QueueView
    state: str
    state_title: str
    #: Id of the row, independent of the sort order.
    key: str
    #: Age of the numbers.
    fresh: Freshness
    over_quota_since: OverQuotaSince
    peaks: Mapping[FlavorResource, int]

    @cached_property
    def bars(self) -> tuple[Bar, ...]:
        """The bars in the order of the quota."""
        return tuple(map(self._bar, self.view.usages))

    @cached_property
    def tightest(self) -> Bar | None:
        """The bar with the highest pressure, or the first bar if the numbers are unknown."""
        usages = self.view.usages
        if not usages:
            return None
        if self.fresh.is_unknown:
            return self._bar(usages[0])
        return self._bar(max(usages, key=lambda usage: usage.pressure))

    @property
    def more_bars(self) -> int:
        """The number of bars besides the tightest one."""
        return max(0, len(self.view.usages) - 1)

    def _bar(self, usage: CapacityNode) -> Bar:
        return bar_of(
            usage,
            draining=self.view.draining,
            rise=self.over_quota_since.get((self.view.name, *usage.key)),
            peak=self.peaks.get(usage.key, 0),
            fresh=self.fresh,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """One rule that routes workloads to the queue."""

    #: Counted from 1.
    number: int
    conditions: str
    origin: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueueRow:
    """One local queue that routes workloads to the queue."""

    namespace: str
    name: str
    #: Whether the config stops the local queue.
    is_stopped: bool
    origin: Origin | None


def queue_row(
    view: QueueView,
    *,
    fresh: Freshness = CURRENT,
    over_quota_since: OverQuotaSince = MappingProxyType({}),
    peaks: Mapping[FlavorResource, int] = MappingProxyType({}),
) -> QueueRow:
    """
    Return the row of *view*.

    *fresh* is the age of the numbers. *over_quota_since* and *peaks* are used by bars that show
    them: the start of use above nominal quota, and the maximum use in seven days.
    """
    state, title = _state(view)
    return QueueRow(
        view=view,
        state=state,
        state_title=title,
        key=view.name.encode().hex(),
        fresh=fresh,
        over_quota_since=over_quota_since,
        peaks=peaks,
    )


def rule_rows(view: QueueView, policy: Policy) -> tuple[RuleRow, ...]:
    """Return the rules that route to the queue of *view*."""
    rules = rules_of(policy)
    return tuple(
        RuleRow(
            number=index + 1,
            conditions=describe_selector(rules[index].selector),
            origin=rules[index].origin,
        )
        for index in view.rules
    )


def local_queue_rows(name: str, policy: Policy) -> tuple[LocalQueueRow, ...] | None:
    """Return the local queues that route to the queue *name*; None if the config uses rules."""
    routing = local_routing_of(policy)
    if routing is None:
        return None
    return tuple(
        LocalQueueRow(
            namespace=local.namespace,
            name=local.name,
            is_stopped=local.stop is not StopPolicy.NONE,
            origin=local.origin,
        )
        for local in routing.local_queues.values()
        if local.queue == name
    )


def describe_selector(selector: Selector) -> str:
    """
    Return the text of a selector in one line.

    >>> describe_selector(Selector())
    'every workload'
    """
    if not selector.expressions:
        return "every workload"
    return " and ".join(_expression(expression) for expression in selector.expressions)


def _expression(expression: MatchExpression) -> str:
    words = expression.operator.value.replace("_", " ")
    return f"{expression.key} {words} {', '.join(expression.values)}".strip()


def _state(view: QueueView) -> tuple[str, str]:
    state = state_of(view)
    if state == "held" and not view.held:
        drains = view.stop is StopPolicy.HOLD_AND_DRAIN
        return state, "Stopped and drained by its config" if drains else "Stopped by its config"
    return state, STATE_TITLES[state]
