"""
The simulated week of a demo organization, which ends when the demo is created.

Configs, submissions and ends go through the same services and the same engine as live ones, under
a clock that is set to the past. So decisions, events, audit entries, samples and accounts agree
with one another. `Organization.simulated_until` marks the end of the week.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random
from typing import Final

from django.utils import timezone

from console.accounting.services.fold_accounts import fold_accounts
from console.orgs.models import Organization
from console.orgs.permissions import Actor
from console.series.coverage import DAY, HOUR, floor_hour
from console.series.services.mark_quiet import mark_quiet
from console.series.services.roll_up import roll_up_org
from console.series.services.sample_org import sample_org
from console.series.services.sample_orgs import create_samplers
from console.supervisor.simulated_clock import Clock
from console.traffic.mix import workload
from console.workloads.lease import read_engine_row
from console.workloads.models import State, Workload
from console.workloads.services.end_workloads import (
    finish_workloads,
    release_workloads,
    withdraw_workloads,
)
from console.workloads.services.run_engine import forget_states, run_engine
from console.workloads.services.submit_workloads import submit_workloads
from console.workloads.submissions import read_submissions

#: Length of the history.
WEEK: Final = 7 * DAY

#: Time between two steps, in which workloads are submitted and end: coarse until the last day, of
#: which charts show minutes. Each divides an hour, because hours are sampled from their beginning.
_STEP, _LAST_DAY_STEP = HOUR, timedelta(minutes=20)

#: Delay after which the executor has stopped preempted workloads.
_STOP: Final = timedelta(seconds=40)

#: Ranges in hours: of a run, and of the wait until a pending workload is withdrawn.
_RUN_HOURS, _WAIT_HOURS = (0.5, 7.0), (6.0, 20.0)

#: Accounts are folded this often: batches count in accounts that are folded within a day.
_FOLD: Final = 12 * HOUR


@dataclass(frozen=True, slots=True)
class Cast:
    """The actors of a simulated week: who runs workloads, and the submitters by weight."""

    operator: Actor
    submitters: Mapping[Actor, int]


@dataclass(slots=True)
class Week:
    """One simulated week of *org*, whose clock is *clock*."""

    org: Organization
    clock: Clock
    cast: Cast
    #: The kinds of workloads, as in `console.traffic.mix`.
    mix: str
    #: Mean number of workloads that are submitted per hour, from Monday to Friday by day.
    hourly: float
    _draw: Random = field(default_factory=lambda: Random(7))  # noqa: S311
    _number: int = 0
    #: The time at which a workload ends its state, and that state.
    _ends: dict[str, tuple[str, datetime]] = field(default_factory=dict)

    def run(
        self,
        until: datetime,
        acts: Mapping[datetime, Callable[[], object]],
        say: Callable[[datetime], object],
    ) -> None:
        """
        Simulate from the time of the clock, a full hour, until *until*.

        *acts* are called at their times, and *say* with the time before each day.
        """
        begin, folded = self.clock.now, self.clock.now
        due = dict(acts)
        create_samplers()
        while (now := self.clock.now) < until:
            if (now - begin) % DAY == timedelta():
                say(now)
            for at in sorted(at for at in due if at <= now):
                due.pop(at)()
            step = _STEP if now < until - DAY else _LAST_DAY_STEP
            self._step(now, step)
            if now - folded >= _FOLD:
                fold_accounts(self.org.pk, now)
                folded = now
            self.clock.now = now + step
        self.clock.now = until
        fold_accounts(self.org.pk, until)
        mark_quiet(self.org.pk, begin, until)
        while roll_up_org(self.org.pk, until):
            pass
        forget_states()

    def _step(self, now: datetime, step: timedelta) -> None:
        self._end(now)
        self._submit(self.hourly * _activity(now) * (step / HOUR))
        self._settle()
        stopping = self._in_state(State.PREEMPTING)
        if stopping:
            self.clock.now = now + _STOP
            release_workloads(self.cast.operator, stopping)
            self._settle()
        sample_org(self.org.pk, now)

    def _submit(self, mean: float) -> None:
        """Submit *mean* workloads, rounded at random."""
        count = int(mean) + (self._draw.random() < mean % 1)
        actors, weights = zip(*self.cast.submitters.items(), strict=True)
        bodies = defaultdict(list)
        for actor in self._draw.choices(actors, weights, k=count):
            self._number += 1
            bodies[actor.key].append(workload(self._draw, self._number, actor.name, self.mix))
        for actor in actors:
            if actor.key in bodies:
                submit_workloads(actor, read_submissions(bodies[actor.key]))

    def _end(self, now: datetime) -> None:
        """Finish what has run its time, and withdraw what has waited too long."""
        rows = Workload.objects.filter(org=self.org, state__in=[State.ADMITTED, State.PENDING])
        ends: dict[str, tuple[str, datetime]] = {}
        for uid, state in rows.order_by("pk").values_list("uid", "state"):
            planned = self._ends.get(uid)
            if planned is None or planned[0] != state:
                hours = _RUN_HOURS if state == State.ADMITTED else _WAIT_HOURS
                planned = state, now + self._draw.uniform(*hours) * HOUR
            ends[uid] = planned
        self._ends = ends
        over = {
            state: [uid for uid, end in ends.items() if end[0] == state and end[1] <= now]
            for state in (State.ADMITTED, State.PENDING)
        }
        if over[State.ADMITTED]:
            finish_workloads(self.cast.operator, over[State.ADMITTED])
        if over[State.PENDING]:
            withdraw_workloads(self.cast.operator, over[State.PENDING])

    def _in_state(self, state: State) -> list[str]:
        rows = Workload.objects.filter(org=self.org, state=state).order_by("pk")
        return list(rows.values_list("uid", flat=True))

    def _settle(self) -> None:
        while read_engine_row(self.org.pk).has_work:
            run_engine(self.org.pk, seconds=60)


def begin_of_week(now: datetime) -> datetime:
    """Return the full hour at which the week before *now* begins."""
    return floor_hour(now - WEEK)


def _activity(now: datetime) -> float:
    """Return how much of the work of a weekday is submitted in the hour of *now*."""
    local = timezone.localtime(now)
    by_hour = 1.0 if 8 <= local.hour < 19 else 0.35
    return by_hour * (0.4 if local.weekday() >= 5 else 1.0)
