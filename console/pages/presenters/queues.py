"""Queues as pages show them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from console.engine.ledger import FlavorResource
from console.engine.origin import Origin
from console.engine.policy import Policy, StopPolicy
from console.engine.selectors import MatchExpression, Selector
from console.pages.presenters.quota import Bar, bar_of
from console.pages.queue_form import state_of
from console.workloads.queries import QueueView
from console.workloads.queries.rises import Rises
from console.workloads.queries.trust import CURRENT, Freshness

#: What queues do with new work, in a word.
STATE_TITLES = {
    "accepting": "Accepting",
    "held": "Held",
    "draining": "Draining",
    "passthrough": "Passthrough",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueRow:
    """One queue with its bars, the tightest first where it is asked for."""

    view: QueueView
    state: str
    state_title: str
    bars: tuple[Bar, ...]
    tightest: Bar | None
    #: Bars beyond the tightest.
    more_bars: int
    #: Id of the row, stable however the list is sorted.
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRow:
    """One routing rule that leads to a queue."""

    #: Counted from 1, as people do.
    number: int
    conditions: str
    origin: Origin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalQueueRow:
    """One local queue that leads to a queue."""

    namespace: str
    name: str
    #: Whether its config stops it.
    is_stopped: bool
    origin: Origin | None


def queue_row(
    view: QueueView,
    *,
    fresh: Freshness = CURRENT,
    rises: Rises = MappingProxyType({}),
    peaks: Mapping[FlavorResource, int] = MappingProxyType({}),
) -> QueueRow:
    """
    Return *view* with everything a page prints of it.

    *fresh*: how old the numbers are. *rises* and *peaks*: since when it uses more than it owns,
    and the most it used in seven days, for drawings that say so.
    """
    bars = tuple(
        bar_of(
            usage,
            draining=view.draining,
            rise=rises.get((view.name, *usage.key)),
            peak=peaks.get(usage.key, 0),
            fresh=fresh,
        )
        for usage in view.usages
    )
    tightest = max(bars, key=lambda bar: bar.pressure, default=None)
    state, title = _state(view)
    return QueueRow(
        view=view,
        state=state,
        state_title=title,
        bars=bars,
        tightest=tightest,
        more_bars=max(0, len(bars) - 1),
        key=view.name.encode().hex(),
    )


def rules_of(view: QueueView, policy: Policy) -> tuple[RuleRow, ...]:
    """Return the rules that lead to a queue."""
    return tuple(
        RuleRow(
            number=index + 1,
            conditions=describe_selector(policy.rules[index].selector),
            origin=policy.rules[index].origin,
        )
        for index in view.rules
    )


def local_queues_of(name: str, policy: Policy) -> tuple[LocalQueueRow, ...] | None:
    """Return the local queues that lead to a queue; None where rules do."""
    if policy.local_routing is None:
        return None
    return tuple(
        LocalQueueRow(
            namespace=local.namespace,
            name=local.name,
            is_stopped=local.stop is not StopPolicy.NONE,
            origin=local.origin,
        )
        for local in policy.local_routing.local_queues.values()
        if local.queue == name
    )


def describe_selector(selector: Selector) -> str:
    """
    Return a selector in one line.

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
