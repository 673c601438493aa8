"""The nudge: ask for admission after commit. Losing one delays a decision and can never lose it."""

from __future__ import annotations

from functools import partial

import structlog
from celery import current_app
from django.db import transaction
from kombu.exceptions import OperationalError
from redis import RedisError

from console import broker
from console.celery import lane_of

ADMIT = "console.workloads.tasks.admit"

#: Seconds for which further nudges of an organization are swallowed by the one on its way.
_COALESCED = 5

log = structlog.get_logger("console.nudge")


def request_admission(org_id: int) -> None:
    """Ask for a run of the organization's engine once the present transaction commits."""
    transaction.on_commit(partial(send, org_id))


def send(org_id: int) -> None:
    """
    Enqueue one admission task, unless one is on its way already.

    A broker that is down is logged and not raised: the rows are written, and the
    sweep finds them.
    """
    try:
        if broker.client().set(_key(org_id), 1, nx=True, ex=_COALESCED):
            current_app.send_task(ADMIT, args=[org_id], queue=lane_of(org_id), expires=60)
    except (OperationalError, RedisError) as error:
        log.warning("admission not requested, the sweep will", org=org_id, error=str(error))


def received(org_id: int) -> None:
    """Note that the task has begun: what commits from now on needs a nudge of its own."""
    try:
        broker.client().delete(_key(org_id))
    except RedisError as error:
        log.warning("nudge not cleared, it expires", org=org_id, error=str(error))


def _key(org_id: int) -> str:
    return f"sluice:nudge:{org_id}"
