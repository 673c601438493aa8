"""The Celery app: a message is only a wake-up, so lost, late and double ones do no harm."""

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

from console.collector import collect_seldom
from console.connections import renew_connections
from console.keys import require_key
from console.messages import ExpiringTask, Messages
from console.migrating.skew import log_skew
from console.private_state import keep_private
from console.tracing.start import start_tracing

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
# They would load every page and address into workers and beat, which serve none: a third of
# a start. `make check` runs them.
os.environ.setdefault("CELERY_SKIP_CHECKS", "true")

#: Seconds after which the broker hands an unacknowledged message to another worker.
VISIBILITY_TIMEOUT = 120

#: Queues of admission work. An organization always uses the same one, so that a worker
#: that serves it alone keeps its state warm; safety does not depend on that.
SHARDS = tuple(f"admission-{number}" for number in range(8))

#: The queue of what takes seconds, and what admission never waits for: impact questions, and
#: looking through a partition.
IMPACT = "impact"

#: The queue of what is looked through in every organization, which takes seconds where there are
#: many rules or workloads. The worker for impact takes from both in turn, so that a thousand such
#: messages are not in front of a question.
CHECK_UPS = "check-ups"

#: The queue of webhooks: receivers are slow, and only other receivers wait for them.
WEBHOOKS = "webhooks"

#: The queue of everything else.
COMMON = "sluice"

#: The queue of what is looked after in every organization: samples, sums, badges. A worker
#: takes from its queues in turn, so that a thousand such messages are not in front of a decision.
BACKGROUND = "background"

#: All of them.
QUEUES = (COMMON, BACKGROUND, IMPACT, CHECK_UPS, WEBHOOKS, *SHARDS)


def shard_of(org_id: int) -> str:
    """Return the queue of an organization's admission work."""
    return SHARDS[crc32(str(org_id).encode()) % len(SHARDS)]


def _every(seconds: int, task: str, queue: str = COMMON) -> dict[str, object]:
    """Return an entry of the clock; a message that nobody took in time is not wanted any more."""
    return {
        "task": task,
        "schedule": float(seconds),
        "options": {"expires": min(max(seconds, 10), 600), "queue": queue},
    }


app = Celery("sluice", amqp=Messages, task_cls=ExpiringTask)
# The broker's address and the schedule file come from the Django settings.
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
    # Who sends goes on without the broker: the rows are there, and the sweep finds them.
    task_publish_retry_policy={"max_retries": 1, "interval_start": 0, "interval_step": 0.2},
    # There are none, and so nothing to clean up every night.
    result_expires=None,
    broker_connection_retry_on_startup=True,
    broker_transport_options={
        "visibility_timeout": VISIBILITY_TIMEOUT,
        # The defaults look for unacknowledged messages every 100 seconds.
        "unacked_restore_interval": 5,
        "unacked_restore_throttle": 1,
        # One that went without a word, as behind a network that drops what is sent, is noticed
        # within seconds: by whoever sends, and by who waits for messages.
        "health_check_interval": 3,
        "socket_timeout": 5,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
    },
    beat_scheduler="console.clock:Clock",
    beat_schedule={
        "sweep": _every(2, "console.workloads.tasks.sweep"),
        "revert": _every(2, "console.configs.tasks.revert"),
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
        # Several times a minute, so that a late clock or a busy worker makes no gap.
        "sample": _every(15, "console.series.tasks.sample"),
        "roll up series": _every(300, "console.series.tasks.roll"),
        "forget series": _every(600, "console.series.tasks.forget"),
        "look": _every(20, "console.overview.tasks.look"),
        "sweep webhooks": _every(5, "console.webhooks.tasks.sweep", WEBHOOKS),
        "forget deliveries": _every(60, "console.webhooks.tasks.forget", WEBHOOKS),
    },
    timezone="UTC",
    # Celery would close the database's connection before and after every task; a new one costs
    # more than most tasks do. `renew_connections` does here what Django does around a request.
    CELERY_DB_REUSE_MAX=sys.maxsize,
)
app.autodiscover_tasks()
task_prerun.connect(renew_connections)
task_postrun.connect(renew_connections)

# It warns root against workers that unpickle messages; these read JSON alone.
warnings.filterwarnings("ignore", category=SecurityWarning)


@worker_init.connect
def refuse_a_passing_key(**_: Any) -> None:
    """End a worker that would sign webhooks with a key that nobody else has."""
    try:
        require_key()
    except ImproperlyConfigured as error:
        # Celery logs what a handler raises, and goes on.
        raise SystemExit(str(error)) from error


@worker_init.connect
@beat_init.connect
def keep_state_private(**_: Any) -> None:
    """Let no other user of the machine read the state folder; child processes inherit it."""
    try:
        keep_private(settings.HOME)
    except ImproperlyConfigured as error:
        raise SystemExit(str(error)) from error


@worker_init.connect
def collect_garbage_seldom(**_: Any) -> None:
    """Tune the collector for engines that stay in memory; child processes inherit it."""
    collect_seldom()


@worker_init.connect
@beat_init.connect
def say_how_old_the_database_is(**_: Any) -> None:
    """Name a database that is older or newer than this code, before the first task meets it."""
    log_skew()


@task_prerun.connect
def bind_task(task_id: str, task: Any, **_: Any) -> None:
    """Have all log lines of a task name it, and nothing of the one before."""
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)


@worker_init.connect
def trace_what_is_asked_for(**_: Any) -> None:
    """Trace tasks and statements where traces are wanted; child processes inherit it."""
    start_tracing()


@setup_logging.connect
def use_the_same_logs(**_: Any) -> None:
    """Keep Celery from configuring logs of its own."""
    logging.config.dictConfig(settings.LOGGING)
