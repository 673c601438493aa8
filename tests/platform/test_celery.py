"""The Celery app: schedule, queues, and time limits that are consistent."""

from __future__ import annotations

import subprocess
import sys
from typing import Any
from weakref import ref

import pytest
from celery.fixups.django import DjangoWorkerFixup
from celery.signals import task_postrun, task_prerun
from celery.utils.dispatch import Signal

from console.celery import QUEUES, SHARDS, VISIBILITY_TIMEOUT, app
from console.connections import renew_connections
from console.supervisor import commands


def test_every_schedule_entry_names_a_task() -> None:
    app.loader.import_default_modules()
    names = {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert names
    assert names <= set(app.tasks)


def test_a_worker_loads_neither_pages_nor_the_api() -> None:
    asked = """
import sys
from typing import Any
from typing import Any
from console.celery import app
app.loader.init_worker()
print(sys.modules.keys() & {"console.orgs.tasks", "console.urls", "rest_framework.fields"})
"""
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "{'console.orgs.tasks'}\n"


def test_worker_keeps_its_connection_between_tasks() -> None:
    receivers = [found for signal in (task_prerun, task_postrun) for found in _receivers(signal)]
    assert receivers.count(renew_connections) == 2
    # The setting that Celery reads; otherwise it would close the connections.
    assert DjangoWorkerFixup(app).db_reuse_max > 1_000_000_000


def _receivers(signal: Signal) -> list[object]:
    return [
        reference() if isinstance(reference, ref) else reference
        for _, reference in signal.receivers or ()
    ]


def test_a_message_stays_hidden_as_long_as_its_task_may_run() -> None:
    assert app.conf.task_soft_time_limit < app.conf.task_time_limit < VISIBILITY_TIMEOUT
    assert app.conf.broker_transport_options["visibility_timeout"] == VISIBILITY_TIMEOUT


def test_a_message_outlives_its_worker() -> None:
    assert app.conf.task_acks_late
    assert app.conf.task_reject_on_worker_lost
    assert app.conf.worker_prefetch_multiplier == 1
    assert app.conf.task_ignore_result


@pytest.mark.parametrize("processes", [1, 2, 3, len(SHARDS), len(SHARDS) + 1])
def test_every_queue_has_workers_and_each_lane_exactly_one(processes: int, settings: Any) -> None:
    settings.WORKER_PROCESSES = processes
    taken = [
        queue
        for worker in commands.workers()
        for queue in worker.arguments[worker.arguments.index("--queues") + 1].split(",")
    ]
    assert set(taken) == set(QUEUES)
    assert [taken.count(shard) for shard in SHARDS] == [1] * len(SHARDS)
