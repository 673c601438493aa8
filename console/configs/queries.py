"""Queries of versions, drafts, reviews, timers, schedules, expectations, specs and impact runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime

from django.db.models import Q, QuerySet

from console.configs.models import (
    ConfigVersion,
    Draft,
    Expectation,
    ImpactRun,
    QueueSpec,
    RevertTimer,
    ReviewComment,
    ReviewRequest,
    ScheduledChange,
)
from console.dialects.base import PastSpec
from console.errors import NotFound
from console.orgs.models import Organization, User
from console.orgs.permissions import Actor, Permission
from console.paging import Page, newest_first, read_cursor, write_cursor
from console.policies.queries import versions


def newest_number(org: Organization) -> int:
    """Return the number of the newest version, which equals the count of versions."""
    return versions(org).values_list("number", flat=True).first() or 0


def list_versions(org: Organization, limit: int, cursor: str | None = None) -> Page[ConfigVersion]:
    """Return one page of versions, newest first, without their texts."""
    keys = read_cursor(cursor)
    rows = versions(org).defer("text")
    found = list((rows.filter(number__lt=keys[0]) if keys else rows)[: limit + 1])
    page = found[:limit]
    return Page(page, write_cursor(page[-1].number) if len(found) > limit else None)


def versions_after(org: Organization, number: int, limit: int = 50) -> list[ConfigVersion]:
    """Return the newest *limit* versions above *number*, newest first."""
    return list(versions(org).filter(number__gt=number)[:limit])


def versions_between(
    org: Organization, since: datetime, until: datetime, limit: int
) -> tuple[list[ConfigVersion], int]:
    """
    Return the last *limit* versions of a time range, oldest first, and the count of earlier ones.

    *since* is inclusive, *until* exclusive.
    """
    rows = versions(org).filter(created_at__gte=since, created_at__lt=until).defer("text")
    found = list(rows[:limit])
    more = max(0, rows.count() - limit) if len(found) == limit else 0
    return found[::-1], more


def drafts_of(org: Organization) -> QuerySet[Draft]:
    """Return all drafts of *org*, the newest save first, without their texts."""
    return (
        Draft.objects.filter(org=org)
        .select_related("author", "editor")
        .defer("text")
        .order_by("-updated_at", "-id")
    )


def list_drafts(org: Organization, limit: int, cursor: str | None = None) -> Page[Draft]:
    """Return one page of drafts in order of creation, newest first, without their texts."""
    return newest_first(drafts_of(org), None, limit, cursor)


def get_draft(org: Organization, number: int) -> Draft:
    """Return draft *number* with its author and editor; raises NotFound."""
    found = Draft.objects.filter(org=org, pk=number).select_related("author", "editor").first()
    if found is None:
        raise NotFound(
            f"There is no draft {number} in {org.slug}: it was discarded, or applied as a version."
        )
    return found


def latest_draft(org: Organization, user: User) -> Draft | None:
    """Return the most recently saved draft that *user* created or edits, or None."""
    theirs = Draft.objects.filter(Q(author=user) | Q(editor=user), org=org)
    return theirs.select_related("author", "editor").order_by("-updated_at", "-id").first()


def digest_of(dialect: str, text: str) -> str:
    """Return the SHA-256 by which review requests and impact runs of *text* are found."""
    return hashlib.sha256(f"{dialect}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()


def list_reviews(org: Organization, limit: int, cursor: str | None = None) -> Page[ReviewRequest]:
    """Return one page of review requests, newest first, without their texts."""
    return newest_first(ReviewRequest.objects.filter(org=org).defer("text"), None, limit, cursor)


def get_review(org: Organization, number: int) -> ReviewRequest:
    """Return review request *number*; raises NotFound."""
    found = ReviewRequest.objects.filter(org=org, pk=number).first()
    if found is None:
        raise NotFound(f"There is no review request {number} in {org.slug}.")
    return found


def comments_of(review: ReviewRequest) -> list[ReviewComment]:
    """Return the comments of *review*, the oldest first."""
    return list(review.comments.order_by("id"))


def review_of(org: Organization, dialect: str, text: str, base: int) -> ReviewRequest | None:
    """Return the newest review request of exactly *text* on version *base*, or None."""
    return _reviews_of_text(org, dialect, text, base).first()


def approval_of(org: Organization, dialect: str, text: str, base: int) -> ReviewRequest | None:
    """Return the approved review request of exactly *text* on version *base*, or None."""
    same = _reviews_of_text(org, dialect, text, base)
    return same.filter(state=ReviewRequest.State.APPROVED).first()


def _reviews_of_text(
    org: Organization, dialect: str, text: str, base: int
) -> QuerySet[ReviewRequest]:
    same = ReviewRequest.objects.filter(org=org, digest=digest_of(dialect, text), base=base)
    return same.defer("text").order_by("-id")


def count_reviews_for(actor: Actor, base: int) -> int:
    """
    Return the number of texts on version *base* that wait for approval by *actor*.

    Those that the actor submitted or edited wait for other members.
    """
    if not actor.may(Permission.APPROVE):
        return 0
    waiting = ReviewRequest.objects.filter(
        org=actor.org, state=ReviewRequest.State.WAITING, base=base
    )
    person = actor.person_key
    return sum(person not in editors for editors in waiting.values_list("editors", flat=True))


def revert_timer_of(org: Organization) -> RevertTimer | None:
    """Return the revert timer of the active version, or None."""
    return RevertTimer.objects.filter(org=org).first()


def list_scheduled(
    org: Organization, limit: int, cursor: str | None = None, *, state: str = ""
) -> Page[ScheduledChange]:
    """
    Return one page of scheduled changes, newest first, without their texts.

    Only those in *state*, if it is not empty; otherwise those that were scheduled, so that no row
    stands for a text that waits for approval.
    """
    rows = ScheduledChange.objects.filter(org=org).defer("text")
    proposed = ScheduledChange.State.PROPOSED
    rows = rows.filter(state=state) if state else rows.exclude(state=proposed)
    return newest_first(rows, None, limit, cursor)


def coming_changes(org: Organization) -> QuerySet[ScheduledChange]:
    """Return the changes of *org* that are to come, the next first, without their texts."""
    rows = ScheduledChange.objects.filter(org=org, state=ScheduledChange.State.SCHEDULED)
    return rows.defer("text").order_by("due_at", "-id")


def get_scheduled(org: Organization, number: int) -> ScheduledChange:
    """Return scheduled change *number*; raises NotFound."""
    rows = ScheduledChange.objects.filter(org=org, pk=number)
    found = rows.select_related("org", "review", "draft").first()
    if found is None:
        raise NotFound(f"There is no scheduled change {number} in {org.slug}.")
    return found


def schedule_of_draft(draft: Draft) -> ScheduledChange | None:
    """Return the scheduled apply of *draft* that is to come, or None."""
    return schedules_of_drafts(draft.org, [draft]).get(draft.pk)


def schedules_of_drafts(org: Organization, drafts: Iterable[Draft]) -> dict[int, ScheduledChange]:
    """Return the scheduled applies of *drafts* that are to come, by number of the draft."""
    coming = coming_changes(org).filter(draft__in=[draft.pk for draft in drafts])
    return {change.draft_id: change for change in coming if change.draft_id is not None}


def proposed_end(review: ReviewRequest) -> ScheduledChange | None:
    """Return the end of the temporary change that *review* proposes, or None."""
    proposed = ScheduledChange.objects.filter(review=review, state=ScheduledChange.State.PROPOSED)
    return proposed.order_by("-id").first()


def expectations_of(org: Organization) -> QuerySet[Expectation]:
    """Return the expectations of *org* by name."""
    return Expectation.objects.filter(org=org).order_by("name")


def get_expectation(org: Organization, number: int) -> Expectation:
    """Return expectation *number*; raises NotFound."""
    found = Expectation.objects.filter(org=org, pk=number).first()
    if found is None:
        raise NotFound(f"There is no expectation {number} in {org.slug}.")
    return found


def past_specs(org: Organization) -> dict[str, PastSpec]:
    """Return the fixed queue specs of *org* by queue name."""
    rows = QueueSpec.objects.filter(org=org).values_list("name", "version", "spec")
    return {name: PastSpec(version=version, spec=spec) for name, version, spec in rows}


def get_impact(org: Organization, number: int) -> ImpactRun:
    """Return impact run *number* without its text; raises NotFound."""
    run = ImpactRun.objects.filter(org=org, pk=number).defer("text").first()
    if run is None:
        raise NotFound(f"There is no impact run {number} in {org.slug}; they are kept for a week.")
    return run


def unfinished_impacts(org: Organization) -> QuerySet[ImpactRun]:
    """Return the waiting and running impact runs of *org*."""
    unfinished = (ImpactRun.State.WAITING, ImpactRun.State.RUNNING)
    return ImpactRun.objects.filter(org=org, state__in=unfinished)
