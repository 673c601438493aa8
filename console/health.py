"""Health endpoints: liveness (`/healthz`) and readiness (`/readyz`)."""

from __future__ import annotations

import shutil
from pathlib import Path

import structlog
from django.db import DatabaseError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from redis import RedisError

from console import broker
from console.celery import QUEUES, SHARDS, shard_of
from console.engine.wording.words import listed, plural
from console.heartbeat import SILENCE, is_beating
from console.migrating.skew import find_skew
from console.queue_backlog import MAX_MESSAGES, full_queues
from console.workloads.queries.intake import LATE, late_by_org

_UNKNOWN = "unknown, because the broker does not answer"

#: Free bytes that the disk of an SQLite file needs; with less, a write may fail.
_ROOM = 16 * 1024**2

log = structlog.get_logger("console.health")


@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """Return 200: this process is alive."""
    return JsonResponse({"status": "ok"})


@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """
    Return 200 if database, broker and worker are ready, else 503; the body lists each.

    With `?for=traffic` the status is that of this process, which shows pages and accepts requests
    also without broker or worker: a load balancer that removed the process would make both fail.
    Problems that do not affect readiness are under `notes`.
    """
    notes: list[str] = []
    checks = {"database": _database(notes), "broker": _broker(notes)}
    # If the broker is silent, one timeout is enough.
    checks["worker"] = _worker() if checks["broker"] == "ok" else _UNKNOWN
    ready = all(answer == "ok" for answer in checks.values())
    body: dict[str, object] = {"status": "ok" if ready else "unavailable", "checks": checks}
    if notes:
        body["notes"] = notes
    is_for_traffic = request.GET.get("for") == "traffic"
    is_fine = checks["database"] == "ok" if is_for_traffic else ready
    return JsonResponse(body, status=200 if is_fine else 503, headers={"Cache-Control": "no-store"})


def _database(notes: list[str]) -> str:
    try:
        skew = find_skew()
        if skew.newer:
            notes.append(skew.newer)
        # An older database may lack the columns of the next queries.
        if skew.older:
            return skew.older
        if late := _late_requests():
            notes.append(late)
        return _read_only() or _disk_space()
    except DatabaseError as error:
        log.error("database does not answer", error=str(error))
        return "does not answer"


def _late_requests() -> str:
    """
    Return a sentence about accepted requests that wait for too long, or "".

    It is only a note: a load balancer must not remove a web process because one organization's
    engine or one worker is stuck. The heartbeat does not show either, because any worker sends it.
    """
    late = late_by_org(timezone.now())
    if not late:
        return ""
    since = min(late.values())
    used = {shard_of(org) for org in late}
    shards = [shard for shard in SHARDS if shard in used]
    place = "the shard" if len(shards) == 1 else "the shards"
    return (
        f"Accepted requests of {plural(len(late), 'organization')} wait for longer than "
        f"{LATE.seconds} seconds, the oldest since {since:%Y-%m-%dT%H:%M:%SZ}, in {place} "
        f"{listed(shards)}. Check that a worker reads from there, and restart it if it is "
        "stuck; where an engine fails, its log says `engine failed` and why. A worker that is "
        "only behind catches up."
    )


def _read_only() -> str:
    """Return a sentence if the database server is read-only, or ""."""
    if connection.vendor != "postgresql":
        return ""
    with connection.cursor() as cursor:
        cursor.execute("SHOW transaction_read_only")
        [answer] = cursor.fetchone()
    if answer != "on":
        return ""
    log.error("database is read-only")
    return (
        "is read-only: it is a standby, or default_transaction_read_only is on; "
        "set DATABASE_URL to the primary, or turn that setting off"
    )


def _disk_space() -> str:
    """Return "ok", or a sentence if the disk of an SQLite file is full; no check for PostgreSQL."""
    if connection.vendor != "sqlite":
        return "ok"
    left = shutil.disk_usage(Path(connection.settings_dict["NAME"]).parent).free
    if left < _ROOM:
        log.error("disk of the database is full", bytes_left=left)
        return f"its disk is full: {left // 1024**2} MiB are left"
    return "ok"


def _broker(notes: list[str]) -> str:
    try:
        broker.client().ping()
    except RedisError as error:
        log.error("broker does not answer", error=str(error))
        return "does not answer"
    if old := broker.version_warning():
        notes.append(old)
    if left := _full_queues():
        notes.append(left)
    return "ok"


def _full_queues() -> str:
    """Return a sentence about the message queues that no worker reads, or ""."""
    try:
        found = full_queues(QUEUES)
    except RedisError:
        return ""
    if not found:
        return ""
    place = "the queue" if len(found) == 1 else "the queues"
    return (
        f"{MAX_MESSAGES:,} messages or more wait in {place} {listed(found)}, and no more are sent "
        "there. Start a worker that reads from there; a worker that is only behind catches up."
    )


def _worker() -> str:
    try:
        alive = is_beating()
    except RedisError:
        return _UNKNOWN
    return "ok" if alive else f"no sign of life for {SILENCE} seconds; are worker and beat running?"
