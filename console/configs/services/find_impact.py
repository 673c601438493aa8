"""Start an impact run: the effects of a text on live and recorded workloads before an apply."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import structlog
from celery import current_app
from django.db import transaction
from django.utils import timezone
from kombu.exceptions import OperationalError
from redis import RedisError

from console.celery import IMPACT
from console.configs.errors import ConfigRejected
from console.configs.models import ImpactRun
from console.configs.queries import digest_of, unfinished_impacts
from console.configs.services.check_config import check_config
from console.configs.services.run_impact import run_impact
from console.errors import Conflict
from console.orgs.audit import record
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.orgs.queries import lock_org
from console.policies.queries import active_number
from console.workloads.models import RecordedShape
from console.workloads.queries.workloads import live_count

#: Name of the task that computes a run.
FIND_IMPACT = "console.configs.tasks.find_impact"

#: Time for which a result is reused; live workloads change.
FRESH = timedelta(minutes=5)

#: Maximum number of open runs of one organization.
MOST_OPEN = 5

#: Limits of a run that is computed within the request, because it takes less than a second: live
#: workloads, recorded shapes, and characters of the text.
SMALL_LIVE, SMALL_RECORDED, SMALL_TEXT = 4_000, 1_000, 100_000

log = structlog.get_logger("console.impact")


def find_impact(actor: Actor, dialect: str, text: str, *, again: bool = False) -> ImpactRun:
    """
    Return an impact run of *text* on the active version, new or reused.

    The run of a small organization is done on return; other runs wait for a worker. An open run of
    the same text and version is reused, and so is a recent result unless *again* is true. Raises
    NotAllowed, BadRequest for an unknown dialect, ConfigRejected for a text with errors, and
    Conflict (``too_many_impacts``) if too many runs are open.
    """
    actor.require(Permission.DRAFT)
    reading = check_config(actor, dialect, text)
    if not reading.ok:
        raise ConfigRejected(reading)
    run = ImpactRun(
        org=actor.org,
        author=actor.name,
        dialect=dialect,
        text=text,
        digest=digest_of(dialect, text),
        base=active_number(actor.org),
    )
    known = _reusable_run(run, again=again) or _store_unless_known(actor, run, again=again)
    if known is not None:
        return known
    if _is_small(actor.org, text):
        run_impact(run.pk)
        run.refresh_from_db()
    else:
        transaction.on_commit(partial(enqueue, run.pk))
    return run


def enqueue(run_id: int) -> None:
    """
    Enqueue the task of a run.

    An error of the broker is logged and not raised: the row is stored, and `sweep_impacts` enqueues
    the run again.
    """
    try:
        current_app.send_task(FIND_IMPACT, args=[run_id], queue=IMPACT, expires=600)
    except (OperationalError, RedisError) as error:
        log.warning("impact run not enqueued, the sweep retries", run=run_id, error=str(error))


def _store_unless_known(actor: Actor, run: ImpactRun, *, again: bool) -> ImpactRun | None:
    """Store *run* and return None, or return an equal run that can be reused."""
    org = run.org
    with transaction.atomic():
        lock_org(org)
        known = _reusable_run(run, again=again)
        if known is not None:
            return known
        if unfinished_impacts(org).count() >= MOST_OPEN:
            raise Conflict(
                "too_many_impacts",
                f"{MOST_OPEN} other impact runs of {org.slug} are open; "
                "wait for one to end, or cancel one.",
            )
        run.save(force_insert=True)
        record(
            actor,
            "impact.ask",
            kind="impact",
            subject=str(run.pk),
            after={"language": run.dialect, "base": run.base, "text_sha256": run.digest},
        )
    return None


def _reusable_run(run: ImpactRun, *, again: bool) -> ImpactRun | None:
    same = ImpactRun.objects.filter(
        org=run.org, digest=run.digest, base=run.base, is_cancelled=False
    )
    newest = same.exclude(state__in=(ImpactRun.State.FAILED, ImpactRun.State.CANCELLED)).first()
    if newest is None or newest.state != ImpactRun.State.DONE:
        return newest
    assert newest.ended_at is not None, "what is done has ended"
    is_fresh = timezone.now() - newest.ended_at < FRESH
    return newest if is_fresh and not again else None


def _is_small(org: Organization, text: str) -> bool:
    live = live_count(org)
    if live > SMALL_LIVE or len(text) > SMALL_TEXT:
        return False
    return not RecordedShape.objects.filter(org=org)[SMALL_RECORDED:].exists()
