"""
The Celery app, its queues and its beat schedule.

A message only wakes a worker up: lost, late and duplicate messages do no harm.
"""

from __future__ import annotations

import logging.config
import os
import sys
import warnings
from typing import Any
from zlib import crc32

import structlog
from celery import Celery
from celery.platforms import SecurityWarning
from celery.signals import beat_init, setup_logging, task_postrun, task_prerun, worker_init
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from kombu import Queue

from console.connections import renew_connections
from console.garbage_collection import collect_rarely
from console.message_expiry import BrokerClockAMQP, ExpiringTask
from console.migrating.skew import log_skew
from console.private_state import keep_private
from console.secret_key import require_secret_key
from console.tracing.start import start_tracing

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
# System checks would load all pages and URLs into workers and beat, which serve none: a third of
# the start time. `make check` runs the checks.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")

#: Seconds after which the broker hands an unacknowledged message to another worker.
VISIBILITY_TIMEOUT = 120

#: Queues of admission. An organization always uses the same one, so that the worker of that queue
#: keeps the organization's state warm; correctness does not depend on it.
SHARDS = tuple(f"admission-{number}" for number in range(8))

#: Queue of tasks that take seconds and that admission never waits for: impact runs, and the search
#: of a partition for rows that have to stay.
IMPACT = "impact"

#: Queue of the regular checks of every organization, which take seconds if there are many rules or
#: workloads. The impact worker takes from both queues in turn, so that an impact run does not wait
#: behind a thousand checks.
CHECK_UPS = "check-ups"

#: Queue of webhook deliveries: a slow receiver delays only other receivers.
WEBHOOKS = "webhooks"

#: Queue of all other tasks.
COMMON = "sluice"

#: Queue of periodic tasks for every organization: samples, sums, badges. A worker takes from its
#: queues in turn, so that a decision does not wait behind a thousand such messages.
BACKGROUND = "background"

#: All queues.
QUEUES = (COMMON, BACKGROUND, IMPACT, CHECK_UPS, WEBHOOKS, *SHARDS)


def shard_of(org_id: int) -> str:
    """Return the admission queue of an organization."""
    return SHARDS[crc32(str(org_id).encode()) % len(SHARDS)]


def _every(seconds: int, task: str, queue: str = COMMON) -> dict[str, object]:
    """Return an entry of the beat schedule, whose message expires after about one period."""
    return {
        "task": task,
        "schedule": float(seconds),
        "options": {"expires": min(max(seconds, 10), 600), "queue": queue},
    }


app = Celery("sluice", amqp=BrokerClockAMQP, task_cls=ExpiringTask)
# The broker's URL and the schedule file come from the Django settings.
app.config_from_object("django.conf:settings", namespace="CELERY")
app.conf.update(
    task_default_queue=COMMON,
    task_queues=[Queue(name, routing_key=name) for name in QUEUES],
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_ignore_result=True,
    # A message must not become visible again while its task still runs.
    task_soft_time_limit=VISIBILITY_TIMEOUT - 60,
    task_time_limit=VISIBILITY_TIMEOUT - 30,
    worker_prefetch_multiplier=1,
    worker_send_task_events=False,
    # A sender continues without the broker: the rows are stored, and the sweep finds them.
    task_publish_retry_policy={"max_retries": 1, "interval_start": 0, "interval_step": 0.2},
    # Tasks store no results, so the nightly clean-up of results is off.
    result_expires=None,
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "visibility_timeout": VISIBILITY_TIMEOUT,
        # The defaults look for unacknowledged messages every 100 seconds.
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        # Senders and receivers notice within seconds that the broker is silent, for example behind
        # a network that drops packets.
        "health_check_interval": 3,
        "socket_timeout": 5,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
    },
    beat_scheduler="console.beat_scheduler:BacklogAwareScheduler",
    beat_schedule={
        "sweep": _every(2, "console.workloads.tasks.sweep"),
        "revert": _every(2, "console.configs.tasks.revert"),
        "carry out changes": _every(2, "console.configs.tasks.carry_out"),
        "mark silent clusters": _every(5, "console.capacity.tasks.mark_silent"),
        "resume queues": _every(2, "console.workloads.tasks.resume"),
        "sweep impacts": _every(10, "console.configs.tasks.sweep_impact_runs"),
        "sweep searches": _every(10, "console.workloads.tasks.sweep_search_runs"),
        "tidy impacts": _every(3600, "console.configs.tasks.tidy_impact_runs"),
        "measure effects": _every(600, "console.configs.tasks.measure", CHECK_UPS),
        "tidy": _every(3600, "console.workloads.tasks.tidy"),
        "seal audit": _every(5, "console.orgs.tasks.seal"),
        "forget sessions": _every(600, "console.orgs.tasks.forget"),
        "forget events": _every(2, "console.workloads.tasks.forget"),
        "forget workloads": _every(2, "console.workloads.tasks.forget_ended"),
        "make partitions": _every(60, "console.retention.tasks.make_partitions"),
        "drop partitions": _every(600, "console.retention.tasks.drop_partitions", IMPACT),
        # Several times a minute, so that a late beat or a busy worker leaves no gap.
        "sample": _every(15, "console.series.tasks.sample"),
        "roll up series": _every(300, "console.series.tasks.roll"),
        "forget series": _every(600, "console.series.tasks.forget"),
        "fold accounts": _every(60, "console.accounting.tasks.fold"),
        "forget accounts": _every(600, "console.accounting.tasks.forget"),
        "look": _every(20, "console.overview.tasks.look"),
        "sweep webhooks": _every(5, "console.webhooks.tasks.sweep", WEBHOOKS),
        "forget deliveries": _every(60, "console.webhooks.tasks.forget", WEBHOOKS),
    },
    timezone="UTC",
    # Celery would close the database connection before and after every task, and a new connection
    # costs more than most tasks. `renew_connections` does what Django does around a request.
    CELERY_DB_REUSE_MAX=sys.maxsize,
)
app.autodiscover_tasks()
task_prerun.connect(renew_connections)
task_postrun.connect(renew_connections)

# Celery warns root about workers that unpickle messages; these workers read only JSON.
warnings.filterwarnings("ignore", category=SecurityWarning)


@worker_init.connect
def refuse_temporary_key(**_: Any) -> None:
    """Stop a worker that would sign webhooks with a temporary key that no other process has."""
    try:
        require_secret_key()
    except ImproperlyConfigured as error:
        # Celery logs other exceptions of a signal handler and continues.
        raise SystemExit(str(error)) from error


@worker_init.connect
@beat_init.connect
def keep_state_private(**_: Any) -> None:
    """Hide the state folder from other users of the machine; child processes inherit the umask."""
    try:
        keep_private(settings.HOME)
    except ImproperlyConfigured as error:
        raise SystemExit(str(error)) from error


@worker_init.connect
def collect_garbage_seldom(**_: Any) -> None:
    """Tune the garbage collector for long-lived engines; child processes inherit the setting."""
    collect_rarely()


@worker_init.connect
@beat_init.connect
def log_database_skew(**_: Any) -> None:
    """Log whether the database is older or newer than this code, before the first task."""
    log_skew()


@task_prerun.connect
def bind_task(task_id: str, task: Any, **_: Any) -> None:
    """Add name and id of a task to all its log lines, and drop those of the previous task."""
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)


@worker_init.connect
def trace_tasks(**_: Any) -> None:
    """Trace tasks and statements if tracing is configured; child processes inherit it."""
    start_tracing()


@setup_logging.connect
def use_the_same_logs(**_: Any) -> None:
    """Configure logging as Django does, so that Celery does not configure its own."""
    logging.config.dictConfig(settings.LOGGING)
