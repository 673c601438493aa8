"""Attention items about the config: unconfirmed versions, drafts, expectations, idle rules."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db.models import Count, Min, Q, Subquery, Value
from django.db.models.functions import Coalesce
from django.utils import timezone

from console.configs.models import ConfigVersion, Draft, ScheduledChange
from console.configs.queries import drafts_of, revert_timer_of
from console.orgs.models import Organization
from console.overview.items import MOST_SUBJECTS, Item, Kind, Subject
from console.overview.models import CheckUp
from console.policies.queries import active_number

#: How long a scheduled change that was not made stays listed.
_FAILURES_LISTED: Final = timedelta(days=7)

_LONG_AGO: Final = datetime(1970, 1, 1, tzinfo=UTC)


def config_items(org: Organization) -> Iterator[Item]:
    """Yield the attention items about the config of *org*."""
    active = active_number(org)
    yield from _timer(org)
    yield from _drafts(org, active)
    yield from _schedule(org, active)
    check_up = CheckUp.objects.filter(org=org, version=active).first()
    if check_up is not None:
        yield from _broken(check_up)
        yield from _idle(check_up)


def _timer(org: Organization) -> Iterator[Item]:
    timer = revert_timer_of(org)
    if timer is None:
        return
    has_failed = timer.failed_at is not None
    version = Subject(
        name=f"v{timer.version}",
        number=timer.version,
        since=timer.failed_at or timer.created_at,
        until=None if has_failed else timer.due_at,
        actor=timer.author,
    )
    yield Item(
        kind=Kind.REVERT_FAILED if has_failed else Kind.VERSION_UNCONFIRMED,
        count=1,
        since=version.since,
        subjects=(version,),
    )


def _drafts(org: Organization, active: int) -> Iterator[Item]:
    is_behind = Q(base__lt=active)
    counts = Draft.objects.filter(org=org).aggregate(
        behind=Count("pk", filter=is_behind),
        behind_since=Min("updated_at", filter=is_behind),
        waiting=Count("pk", filter=~is_behind),
        waiting_since=Min("updated_at", filter=~is_behind),
    )
    newest = list(drafts_of(org)[: 2 * MOST_SUBJECTS])
    for kind, name in ((Kind.DRAFT_BEHIND, "behind"), (Kind.DRAFT_WAITING, "waiting")):
        if counts[name]:
            drafts = [each for each in newest if (each.base < active) is (name == "behind")]
            yield Item(
                kind=kind,
                count=counts[name],
                since=counts[f"{name}_since"],
                subjects=tuple(map(_draft, drafts[:MOST_SUBJECTS])),
            )


def _schedule(org: Organization, active: int) -> Iterator[Item]:
    """Yield an item for changes to come, and one for those that were not made."""
    states = ScheduledChange.State
    applied = ConfigVersion.objects.filter(org=org, number=active).values("created_at")
    # A later version is the resolution, or makes the failed change obsolete.
    not_made = Q(
        state__in=(states.FAILED, states.SUPERSEDED),
        ended_at__gte=timezone.now() - _FAILURES_LISTED,
        ended_at__gt=Coalesce(Subquery(applied), Value(_LONG_AGO)),
    )
    rows = ScheduledChange.objects.filter(Q(state=states.SCHEDULED) | not_made, org=org)
    found = list(rows.defer("text").order_by("due_at", "-id"))
    coming = [each for each in found if each.state == states.SCHEDULED]
    failed = [each for each in found if each.state != states.SCHEDULED]
    if failed:
        yield Item(
            kind=Kind.CHANGE_FAILED,
            count=len(failed),
            since=min(each.ended_at for each in failed if each.ended_at),
            subjects=tuple(map(_change, failed[:MOST_SUBJECTS])),
        )
    if coming:
        yield Item(
            kind=Kind.CHANGE_SCHEDULED,
            count=len(coming),
            subjects=tuple(map(_change, coming[:MOST_SUBJECTS])),
        )


def _change(change: ScheduledChange) -> Subject:
    is_end = change.kind == ScheduledChange.Kind.END
    is_coming = change.state == ScheduledChange.State.SCHEDULED
    return Subject(
        name=f"temporary quota of {change.owner_name}" if is_end else change.message,
        number=change.pk,
        since=change.created_at if is_coming else change.ended_at,
        until=change.due_at if is_coming else None,
        actor=change.author,
        note=change.problem,
    )


def _draft(draft: Draft) -> Subject:
    return Subject(
        name=draft.title, number=draft.pk, since=draft.updated_at, actor=draft.author.email
    )


def _broken(check_up: CheckUp) -> Iterator[Item]:
    if check_up.broken_count:
        yield Item(
            kind=Kind.EXPECTATIONS_BROKEN,
            count=check_up.broken_count,
            subjects=tuple(Subject(name=name) for name in check_up.broken),
        )


def _idle(check_up: CheckUp) -> Iterator[Item]:
    rules = check_up.idle_rules
    if rules:
        yield Item(
            kind=Kind.RULES_IDLE,
            count=len(rules),
            subjects=tuple(
                Subject(name=queue, number=index) for index, queue in rules[:MOST_SUBJECTS]
            ),
        )
