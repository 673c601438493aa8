"""
A slow and obvious admission engine: the judge of the fast one.

Every question is answered from two plain lists, who runs and who waits, with no
memory of earlier answers: nothing is parked, grouped, indexed or counted ahead.
It knows the quota discipline without cohorts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from console.engine.amounts import Amount
from console.engine.policy import OnViolation, Policy, PreemptionRule
from console.engine.selectors import Selector
from console.engine.workload import Workload

#: (flavor, resource) -> thousandths
Usage = dict[tuple[str, str], int]

#: From worst to best.
MODES = ("exceeds_max", "no_candidates", "preempt", "waits", "fits")


@dataclass(eq=False)
class Held:
    """A workload that runs, and what it holds."""

    workload: Workload
    queue: str | None
    priority: int
    assignment: dict[str, str]
    usage: Usage
    departing: bool = False


@dataclass(eq=False)
class Waiting:
    """A workload that waits; *promised* is the room that others leave for it."""

    workload: Workload
    routed: bool = False
    queue: str = ""
    priority: int = 0
    promised: Usage | None = None
    #: Who was told to stop for it.
    victims: list[Held] = field(default_factory=list)


@dataclass
class Reference:
    """One world; decisions are lines of text."""

    policy: Policy
    #: In the order of reservations.
    running: list[Held] = field(default_factory=list)
    waiting: list[Waiting] = field(default_factory=list)
    held: set[str] = field(default_factory=set)
    said: list[str] = field(default_factory=list)

    # Facts

    def submit(self, workload: Workload) -> None:
        self.waiting.append(Waiting(workload))

    def finish(self, name: str) -> None:
        self.running = [r for r in self.running if r.workload.id != name]
        self.waiting = [w for w in self.waiting if w.workload.id != name]

    def release(self, name: str) -> None:
        stopped = next(r for r in self.running if r.workload.id == name)
        self.running.remove(stopped)
        self.submit(stopped.workload)

    def change_policy(self, policy: Policy) -> None:
        self.policy = policy
        for waiting in self.waiting:
            waiting.routed = False
            if waiting.promised is not None:
                place = self._route(waiting.workload)
                keeps = place == (waiting.queue, waiting.priority) and set(waiting.promised) <= {
                    (flavor, resource)
                    for resource, flavors in self._open(waiting).items()
                    for flavor in flavors
                }
                if keeps:
                    waiting.routed = True
                else:
                    waiting.promised = None

    # What is decided

    def settle(self) -> list[str]:
        """Decide until nothing changes, and return what was decided."""
        self.said = []
        for waiting in [w for w in self.waiting if not w.routed]:
            self._place(waiting)
        for name in self.policy.queues:
            if name not in self.held:
                self._keep_promises(name)
                while any(self._act(waiting) for waiting in self._in_order(name)):
                    pass
        return self.said

    def reason(self, waiting: Waiting) -> str:
        """Return why a workload waits."""
        if waiting.queue in self.held:
            return "queue_held"
        if waiting.promised is not None:
            return "waiting_for_preempted"
        mode, _, _ = self._walk(waiting)
        if mode == "exceeds_max":
            return "exceeds_max_quota"
        free_somewhere = all(
            any(
                all(
                    amount <= self._left(waiting.queue, (flavor, resource), self._now)
                    for resource, amount in group_asks.items()
                )
                for flavor in flavors
            )
            for group_asks, flavors in self._groups(waiting)
        )
        return "behind_others" if free_somewhere else "waiting_for_quota"

    def _route(self, workload: Workload) -> tuple[str, int] | None:
        for rule in self.policy.rules:
            if not _holds(rule.selector, workload):
                continue
            wish, policy = workload.priority, rule.priority
            if wish is None:
                wish = policy.default if policy.default is not None else (policy.minimum or 0)
            inside = wish
            if policy.minimum is not None:
                inside = max(inside, policy.minimum)
            if policy.maximum is not None:
                inside = min(inside, policy.maximum)
            if inside == wish or policy.on_violation is OnViolation.FORCE_UPDATE:
                return rule.queue, inside
        return None

    def _place(self, waiting: Waiting) -> None:
        if not self.policy.rules:
            self._start(waiting, None, waiting.workload.priority or 0, {})
            return
        place = self._route(waiting.workload)
        if place is None:
            self._reject(waiting, "no_rule_matched")
            return
        waiting.queue, waiting.priority = place
        waiting.routed = True
        queue = self.policy.queues[waiting.queue]
        if not queue.groups:
            return
        accepting = [
            [
                f
                for f in group.flavors
                if _holds(self.policy.flavors[f.flavor].selector, waiting.workload)
            ]
            for group in queue.groups
        ]
        asked = [set(group.resources) & set(waiting.workload.total()) for group in queue.groups]
        if not any(accepting) or any(
            wants and not flavors for wants, flavors in zip(asked, accepting, strict=True)
        ):
            self._reject(waiting, "no_flavor_matched")

    def _in_order(self, queue: str) -> list[Waiting]:
        here = [w for w in self.waiting if w.routed and w.queue == queue and w.promised is None]
        return sorted(here, key=lambda w: (-w.priority, w.workload.sequence))

    def _keep_promises(self, queue: str) -> None:
        here = [w for w in self.waiting if w.queue == queue and w.promised is not None]
        claimed = Usage()
        for waiting in sorted(here, key=lambda w: (-w.priority, w.workload.sequence)):
            promised = waiting.promised
            assert promised is not None
            waiting.promised = None
            if any(n > self._left(queue, key, self._later) for key, n in promised.items()):
                continue
            if all(
                n <= self._left(queue, key, self._now) - claimed.get(key, 0)
                for key, n in promised.items()
            ):
                assignment = {resource: flavor for flavor, resource in promised}
                self._start(waiting, queue, waiting.priority, assignment)
                continue
            waiting.promised = promised
            for key, n in promised.items():
                leaving = sum(r.usage.get(key, 0) for r in self.running if r in waiting.victims)
                claimed[key] = claimed.get(key, 0) + max(0, n - leaving)

    def _act(self, waiting: Waiting) -> bool:
        mode, usage, short = self._walk(waiting)
        if mode == "fits":
            assignment = {resource: flavor for flavor, resource in usage}
            self._start(waiting, waiting.queue, waiting.priority, assignment)
            return True
        if mode == "exceeds_max":
            return False
        victims = [] if mode == "waits" else self._victims(waiting, usage, short)
        for victim in victims:
            victim.departing = True
            self.said.append(f"{victim.workload.id}: preempted by {waiting.workload.id}")
        if victims or mode == "waits":
            waiting.promised, waiting.victims = usage, victims
            names = " and ".join(sorted(v.workload.id for v in victims)) or "others"
            self.said.append(f"{waiting.workload.id}: waits for {names} to stop")
            self._keep_promises(waiting.queue)
        return bool(victims) or mode == "waits"

    def _walk(self, waiting: Waiting) -> tuple[str, Usage, set[tuple[str, str]]]:
        """Return the mode, what it would take and what of that is short."""
        worst, usage, short = "fits", Usage(), set()
        for group_asks, flavors in self._groups(waiting):
            judged = []
            for flavor in flavors:
                modes = {
                    (flavor, r): self._mode(waiting, (flavor, r), n) for r, n in group_asks.items()
                }
                judged.append((min(modes.values(), key=MODES.index), flavor, modes))
            # The first among equals, and a flavor that fits is above all others.
            mode, flavor, modes = max(judged, key=lambda each: MODES.index(each[0]))
            worst = min(worst, mode, key=MODES.index)
            usage |= {(flavor, r): n for r, n in group_asks.items()}
            short |= {key for key, each in modes.items() if each != "fits"}
        return worst, usage, short

    def _mode(self, waiting: Waiting, key: tuple[str, str], amount: int) -> str:
        queue = waiting.queue
        if amount > self._nominal(queue, key):
            return "exceeds_max"
        if amount <= self._left(queue, key, self._later):
            return "fits" if amount <= self._left(queue, key, self._now) else "waits"
        return "preempt" if self._victims(waiting, {key: amount}, {key}) else "no_candidates"

    def _victims(self, waiting: Waiting, usage: Usage, short: set[tuple[str, str]]) -> list[Held]:
        queue = self.policy.queues[waiting.queue]
        if queue.preemption.within_queue is PreemptionRule.NEVER:
            return []
        latest_first = list(reversed(self.running))
        candidates = [
            r
            for r in sorted(latest_first, key=lambda r: r.priority)
            if r.queue == queue.name
            and not r.departing
            and r.priority < waiting.priority
            and short & set(r.usage)
        ]
        gone: list[Held] = []

        def fits() -> bool:
            freed = {key: sum(g.usage.get(key, 0) for g in gone) for key in usage}
            return all(
                amount <= self._left(queue.name, key, self._later) + freed[key]
                for key, amount in usage.items()
            )

        for candidate in candidates:
            gone.append(candidate)
            if fits():
                break
        else:
            return []
        for candidate in list(reversed(gone[:-1])):
            place = gone.index(candidate)
            gone.remove(candidate)
            if not fits():
                gone.insert(place, candidate)
        return gone

    # Books

    def _now(self, queue: str) -> Iterable[Usage]:
        return (r.usage for r in self.running if r.queue == queue)

    def _later(self, queue: str) -> Iterable[Usage]:
        yield from (r.usage for r in self.running if r.queue == queue and not r.departing)
        yield from (w.promised for w in self.waiting if w.queue == queue and w.promised)

    def _left(self, queue: str, key: tuple[str, str], books: object) -> Amount:
        used = sum(usage.get(key, 0) for usage in books(queue))  # type: ignore[operator]
        return self._nominal(queue, key) - used

    def _nominal(self, queue: str, key: tuple[str, str]) -> Amount:
        for group in self.policy.queues[queue].groups:
            for entry in group.flavors:
                if entry.flavor == key[0] and key[1] in entry.quotas:
                    return entry.quotas[key[1]].nominal
        return 0

    def _groups(self, waiting: Waiting) -> list[tuple[dict[str, int], list[str]]]:
        """Return, per resource group that is asked for, what is asked and the open flavors."""
        queue, total = self.policy.queues[waiting.queue], waiting.workload.total()
        return [
            (
                {r: total[r] for r in group.resources if r in total},
                [entry.flavor for entry in group.flavors if self._accepts(entry.flavor, waiting)],
            )
            for group in queue.groups
            if set(group.resources) & set(total)
        ]

    def _accepts(self, flavor: str, waiting: Waiting) -> bool:
        return _holds(self.policy.flavors[flavor].selector, waiting.workload)

    def _open(self, waiting: Waiting) -> dict[str, list[str]]:
        return {r: flavors for asked, flavors in self._groups(waiting) for r in asked}

    def _start(
        self, waiting: Waiting, queue: str | None, priority: int, assignment: dict[str, str]
    ) -> None:
        self.waiting.remove(waiting)
        total = waiting.workload.total()
        usage = {(flavor, resource): total[resource] for resource, flavor in assignment.items()}
        self.running.append(Held(waiting.workload, queue, priority, assignment, usage))
        flavors = list(dict.fromkeys(assignment.values()))
        on = f" on {' and '.join(flavors)}" if flavors else ""
        self.said.append(f"{waiting.workload.id}: admitted{on}")

    def _reject(self, waiting: Waiting, reason: str) -> None:
        self.waiting.remove(waiting)
        self.said.append(f"{waiting.workload.id}: rejected ({reason})")


def _holds(selector: Selector, workload: Workload) -> bool:
    for expression in selector.expressions:
        value = workload.labels.get(expression.key)
        holds = {
            "in": value in expression.values,
            "not_in": value not in expression.values,
            "exists": value is not None,
            "does_not_exist": value is None,
        }
        if not holds[expression.operator.value]:
            return False
    return True
