"""A simulated executor: submits workloads, runs admitted ones and stops preempted ones."""

from __future__ import annotations

import heapq
import random
import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from console.traffic.client import Client, Refused, Unavailable
from console.traffic.mix import Body, workload

#: The most workloads in one request.
_BATCH = 500

#: Ranges in seconds: of a run, of a stop, and of the wait until a pending workload is withdrawn.
_RUN_SECONDS = (20.0, 90.0)
_STOP_SECONDS = (1.0, 4.0)
_WAIT_SECONDS = (120.0, 400.0)

_COUNTED = ("admitted", "preempted", "rejected")

#: Statuses of reports that are out of date: 409, the state has changed; 404, the workload is gone.
_STALE_STATUSES = (404, 409)


@dataclass(order=True, slots=True)
class _PlannedAction:
    """A report to send at a time, unless the workload's state has changed by then."""

    at: float
    action: str = field(compare=False)
    uid: str = field(compare=False)
    epoch: int = field(compare=False)


class Executor:
    """
    One run of traffic of *mix* in one organization; it touches only workloads of *users*.

    Times are arguments, in seconds, so that equal seeds and answers give equal runs. While the
    API is unavailable, due reports stay due.
    """

    def __init__(
        self,
        client: Client,
        users: Sequence[str],
        rate: float,
        seed: int,
        log: Callable[[str], None],
        mix: str = "priority",
    ) -> None:
        self._client = client
        self._users = users
        self._mix = mix
        self._rate = rate
        # With the key of an earlier run with the same seed, the API would repeat its answer.
        self._run = secrets.token_hex(4)
        self._random = random.Random(seed)  # noqa: S311
        self._log = log
        self._seq = 0
        self._number = 0
        self._next_arrival: float | None = None
        self._unsent: list[Body] = []
        self._batch: list[Body] = []
        #: The number of state changes of each own workload; reports planned before are void.
        self._epochs: dict[str, int] = {}
        self._due: list[_PlannedAction] = []
        self._is_unavailable = False
        self.counts: Counter[str] = Counter()

    def restore(self, now: float, burst: int = 0) -> None:
        """
        Adopt the workloads of an earlier run, and follow the decisions from now on.

        Without any, start with *burst* workloads at once.
        """
        self._seq = self._client.last_decision()
        for state, action, seconds in (
            ("admitted", "finish", _RUN_SECONDS),
            ("preempting", "release", _STOP_SECONDS),
            ("pending", "withdraw", _WAIT_SECONDS),
        ):
            for uid in self._ids(state):
                self._plan(uid, action, now, seconds)
        if not self._epochs:
            self._unsent = [self._draw_workload() for _ in range(burst)]

    def _draw_workload(self) -> Body:
        self._number += 1
        user = self._users[self._number % len(self._users)]
        return workload(self._random, self._number, user, self._mix)

    def _ids(self, state: str) -> list[str]:
        return [uid for user in self._users for uid in self._client.workload_ids(user, state)]

    def step(self, now: float, *, submitting: bool) -> None:
        """Submit, read decisions and send reports that are due at *now*."""
        try:
            if submitting:
                self._draw_arrivals(now)
                self._submit(now)
            while self._read_decisions(now):
                pass
            self._send_due(now)
        except Unavailable as error:
            if not self._is_unavailable:
                self._log(f"The API is away ({error}); trying again.")
            self._is_unavailable = True
        else:
            if self._is_unavailable:
                self._log("The API is back.")
            self._is_unavailable = False

    def wind_down(self, now: float) -> None:
        """Finish running workloads and withdraw pending ones, so that none is left."""
        for action, state in (
            ("finish", "admitted"),
            ("withdraw", "preempting"),
            ("withdraw", "pending"),
        ):
            self._report(action, self._ids(state), now)

    def _draw_arrivals(self, now: float) -> None:
        """Draw the workloads that arrive up to *now*, as a Poisson process."""
        if self._is_unavailable:
            # Skip the arrivals of an outage: they would otherwise all arrive after it.
            self._next_arrival = now + self._random.expovariate(self._rate)
            return
        if self._next_arrival is None:
            self._next_arrival = now
        while self._next_arrival <= now:
            self._unsent.append(self._draw_workload())
            self._next_arrival += self._random.expovariate(self._rate)

    def _submit(self, now: float) -> None:
        while self._unsent:
            if not self._batch:
                self._batch = self._unsent[:_BATCH]
            # The same batch is sent with the same key until it is answered, so that a lost
            # answer does not submit it twice.
            key = f"traffic-{self._run}-{self._batch[0]['name']}"
            ids = self._client.submit(self._batch, key)
            del self._unsent[: len(self._batch)]
            self._batch = []
            self.counts["submitted"] += len(ids)
            for uid in ids:
                self._plan(uid, "withdraw", now, _WAIT_SECONDS)

    def _read_decisions(self, now: float) -> bool:
        """Read a page of decisions and plan the reports for them; return whether there was any."""
        rows = self._client.decisions(self._seq)
        for row in rows:
            self._seq = row["seq"]
            uid = row["workload"]["id"]
            if uid not in self._epochs:
                continue
            outcome = row["outcome"]
            if outcome == "admitted":
                self._plan(uid, "finish", now, _RUN_SECONDS)
            elif outcome == "preempted":
                self._plan(uid, "release", now, _STOP_SECONDS)
            elif outcome == "rejected":
                del self._epochs[uid]
            if outcome in _COUNTED:
                self.counts[outcome] += 1
        return bool(rows)

    def _plan(self, uid: str, action: str, now: float, seconds: tuple[float, float]) -> None:
        epoch = self._epochs[uid] = self._epochs.get(uid, 0) + 1
        heapq.heappush(
            self._due, _PlannedAction(now + self._random.uniform(*seconds), action, uid, epoch)
        )

    def _send_due(self, now: float) -> None:
        """Send the reports that are due at *now*, in batches of the same kind."""
        while self._due and self._due[0].at <= now:
            due = [heapq.heappop(self._due)]
            while self._due and self._due[0].at <= now and len(due) < _BATCH:
                due.append(heapq.heappop(self._due))
            due = [one for one in due if self._epochs.get(one.uid) == one.epoch]
            try:
                for action in ("release", "finish", "withdraw"):
                    self._report(action, [one.uid for one in due if one.action == action], now)
            except Unavailable:
                # Reports that were already sent are repeated, which is harmless.
                for one in due:
                    heapq.heappush(self._due, one)
                raise

    def _report(self, action: str, ids: Sequence[str], now: float) -> None:
        """Report ends of workloads; a rejected report is out of date, and a decision follows."""
        together = _BATCH if action == "finish" else 1
        for group in (ids[at : at + together] for at in range(0, len(ids), together)):
            try:
                if len(group) > 1:
                    self._client.finish(group)
                else:
                    self._client.end(group[0], action)
            except Refused as refusal:
                if refusal.status not in _STALE_STATUSES:
                    raise
                if len(group) > 1:
                    for uid in group:
                        self._report(action, [uid], now)
                continue
            self.counts[_PAST[action]] += len(group)
            for uid in group:
                if action == "release":
                    # It is pending again, and its time until withdrawal starts again.
                    self._plan(uid, "withdraw", now, _WAIT_SECONDS)
                else:
                    self._epochs.pop(uid, None)


_PAST = {"finish": "finished", "withdraw": "withdrawn", "release": "released"}
