"""Start and cancel complete searches for changes that would start a workload."""

from __future__ import annotations

from functools import partial

import structlog
from celery import current_app
from django.db import IntegrityError, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis import RedisError

from console.celery import IMPACT
from console.errors import Conflict
from console.orgs.permissions import Actor, Permission
from console.workloads.models import SearchRun, State, Workload

#: Name of the task that runs one search.
SEARCH = "console.workloads.tasks.search"

_OPEN = (SearchRun.State.WAITING, SearchRun.State.RUNNING)

log = structlog.get_logger("console.searches")


def search_fully(actor: Actor, workload: Workload) -> SearchRun:
    """
    Return a search in which a worker tries every candidate for a pending *workload*.

    An open search for it is returned. Raises Conflict: ``wrong_state`` if the workload is not
    pending, ``search_under_way`` if a search for another workload of the organization is open.
    """
    actor.require(Permission.READ)
    if workload.state != State.PENDING:
        raise Conflict("wrong_state", f"{workload.name} is not pending: no change would start it.")
    open_run = _open_run(actor)
    if open_run is None:
        try:
            with transaction.atomic():
                run = SearchRun.objects.create(org=actor.org, workload=workload, author=actor.name)
                transaction.on_commit(partial(send, run.pk))
        except IntegrityError:
            # A concurrent request started the same search.
            open_run = _open_run(actor)
        else:
            return run
    if open_run is None or open_run.workload_id != workload.pk:
        raise Conflict(
            "search_under_way",
            "A full search is already running in this organization, and only one runs at a time. "
            "Wait until it ends, or cancel it.",
        )
    return open_run


def latest_run(workload: Workload) -> SearchRun | None:
    """Return the newest complete search for *workload*, or None."""
    return SearchRun.objects.filter(org=workload.org_id, workload=workload).first()


def cancel_search(actor: Actor, workload: Workload) -> SearchRun | None:
    """Cancel the open search for *workload*; return its newest search, canceled or ended before."""
    actor.require(Permission.READ)
    runs = SearchRun.objects.filter(org=actor.org, workload=workload)
    runs.filter(state=SearchRun.State.WAITING).update(
        state=SearchRun.State.CANCELLED, is_cancelled=True, ended_at=timezone.now()
    ) or runs.filter(state=SearchRun.State.RUNNING).update(is_cancelled=True)
    return latest_run(workload)


def send(run_id: int) -> None:
    """
    Enqueue the task of a search.

    An error of the broker is logged and not raised: the row is stored, and the sweep enqueues it
    again.
    """
    try:
        current_app.send_task(SEARCH, args=[run_id], queue=IMPACT, expires=600)
    except (OperationalError, RedisError) as error:
        log.warning("search was not enqueued, the sweep enqueues it", run=run_id, error=str(error))


def _open_run(actor: Actor) -> SearchRun | None:
    return SearchRun.objects.filter(org=actor.org, state__in=_OPEN).first()
