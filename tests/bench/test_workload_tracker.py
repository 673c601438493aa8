"""The workload tracker rejects invalid decisions and computes the results."""

from __future__ import annotations

import pytest

from console.bench.kueue.traces import Arrival
from console.bench.workload_tracker import InvariantViolation, WorkloadTracker
from tests.bench.small import BORROWING


@pytest.fixture
def arrivals() -> list[Arrival]:
    """Return three workloads of 2 in each of two queues that own 3 and may borrow 1."""
    return BORROWING.arrivals()


@pytest.fixture
def tracker(arrivals: list[Arrival]) -> WorkloadTracker:
    """Return a tracker in which all workloads are pending."""
    tracker = WorkloadTracker(BORROWING)
    for arrival in arrivals:
        tracker.submitted(arrival, arrival.at)
    return tracker


def test_results_of_a_complete_run(tracker: WorkloadTracker, arrivals: list[Arrival]) -> None:
    names = [each.workload.id for each in arrivals]
    for name, arrival in zip(names, arrivals, strict=True):
        tracker.admitted(name, arrival.queue, 0)
        tracker.stopped(name, 50)
        assert tracker.admitted(name, arrival.queue, 150) == (250, 2)
        assert not tracker.is_running(name, 1)
        assert tracker.is_running(name, 2)
        tracker.finished(name, 250)
    tracker.close()
    # The workloads used 2 for 50 ms and for 100 ms; the two queues own 6.
    assert (tracker.makespan, tracker.quota_use) == (250, pytest.approx(6 * 2 * 150 / (6 * 250)))
    assert tracker.quota_use_of(500) == pytest.approx(tracker.quota_use / 2)
    assert tracker.mean_admission_seconds() == {"even": 0.15}


def test_running_workload_is_not_admitted_again(tracker: WorkloadTracker) -> None:
    tracker.admitted("queue-0-0-even-0", "queue-0-0", 0)
    with pytest.raises(InvariantViolation, match="even-0 was admitted at 7 ms and was not pending"):
        tracker.admitted("queue-0-0-even-0", "queue-0-0", 7)


def test_finished_workload_is_not_admitted_again(tracker: WorkloadTracker) -> None:
    tracker.admitted("queue-0-0-even-0", "queue-0-0", 0)
    tracker.finished("queue-0-0-even-0", 100)
    with pytest.raises(
        InvariantViolation, match="even-0 was admitted at 100 ms and was not pending"
    ):
        tracker.admitted("queue-0-0-even-0", "queue-0-0", 100)


def test_unknown_workload_is_not_admitted() -> None:
    with pytest.raises(InvariantViolation, match="even-0 was admitted at 0 ms and was not pending"):
        WorkloadTracker(BORROWING).admitted("queue-0-0-even-0", "queue-0-0", 0)


def test_workload_is_not_admitted_to_another_queue(tracker: WorkloadTracker) -> None:
    with pytest.raises(
        InvariantViolation, match="queue-0-0-even-0 was admitted to queue-0-1 at 0 ms"
    ):
        tracker.admitted("queue-0-0-even-0", "queue-0-1", 0)


def test_queue_does_not_exceed_its_borrowing_limit(tracker: WorkloadTracker) -> None:
    tracker.admitted("queue-0-0-even-0", "queue-0-0", 0)
    tracker.admitted("queue-0-0-even-1", "queue-0-0", 0)
    with pytest.raises(InvariantViolation, match="queue-0-0 used 6 of 4 when queue-0-0-even-2"):
        tracker.admitted("queue-0-0-even-2", "queue-0-0", 0)


def test_cohort_does_not_exceed_its_quota(tracker: WorkloadTracker) -> None:
    for name in ("queue-0-0-even-0", "queue-0-0-even-1", "queue-0-1-even-0"):
        tracker.admitted(name, name[:9], 0)
    with pytest.raises(InvariantViolation, match="cohort-0 used 8 of 6 when queue-0-1-even-1"):
        tracker.admitted("queue-0-1-even-1", "queue-0-1", 0)


def test_only_running_workloads_are_preempted(tracker: WorkloadTracker) -> None:
    with pytest.raises(InvariantViolation, match="even-0 ended at 3 ms and was not running"):
        tracker.stopped("queue-0-0-even-0", 3)


def test_all_workloads_have_to_finish(tracker: WorkloadTracker) -> None:
    tracker.admitted("queue-0-0-even-0", "queue-0-0", 0)
    tracker.finished("queue-0-0-even-0", 100)
    with pytest.raises(InvariantViolation, match=r"1 of 6 .* queue-0-0-even-1 has not"):
        tracker.close()
