"""Attention items about the config: unconfirmed versions, drafts, expectations, idle rules."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count, Min, Q

from console.configs.models import Draft
from console.configs.queries import drafts_of, revert_timer_of
from console.orgs.models import Organization
from console.overview.items import MOST_SUBJECTS, Item, Kind, Subject
from console.overview.models import CheckUp
from console.policies.queries import active_number


def config_items(org: Organization) -> Iterator[Item]:
    """Yield the attention items about the config of *org*."""
    active = active_number(org)
    yield from _timer(org)
    yield from _drafts(org, active)
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
