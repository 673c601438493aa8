"""URL patterns of all readable API paths by route, with placeholders for example objects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final


def _of(path: str, queries: Iterable[str] = ("",)) -> Sequence[str]:
    """Return *path* below the organization, once with each of *queries*."""
    return tuple(f"orgs/{{org}}{path}{'?' if query else ''}{query}" for query in queries)


#: Route -> patterns.
PATHS: Final[Mapping[str, Sequence[str]]] = {
    "orgs": ("orgs",),
    "org": _of(""),
    "overview": _of("/overview"),
    "retention": _of("/retention"),
    "workloads": _of(
        "/workloads",
        (
            *("", "state=pending", "queue={queue}&state=pending", "reason=waiting_for_quota"),
            *("label.team=nobody", "q=nothing-like-it", "flavor=nothing", "group_by=reason"),
            *("since=2001-01-01T00:00:00Z&user=user-7", "cursor=3", "limit=1000"),
        ),
    ),
    "workload": (*_of("/workloads/{pending}"), *_of("/workloads/{finished}")),
    "explanation": (
        *_of("/workloads/{pending}/explanation"),
        *_of("/workloads/{never}/explanation"),
        *_of("/workloads/{admitted}/explanation"),
        *_of("/workloads/{rejected}/explanation"),
    ),
    "preemptions": _of("/workloads/{victim}/preemptions"),
    "preemption": _of("/workloads/{victim}/preemptions/{preemption}"),
    "views": _of("/views"),
    "config": _of("/config"),
    "config-schema": _of("/config/schema", ("dialect=native",)),
    "approval": _of("/config/approval"),
    "reviews": _of("/config/reviews"),
    "review": _of("/config/reviews/{review}"),
    "scheduled-changes": _of("/config/scheduled", ("", "state=scheduled")),
    "scheduled-change": _of("/config/scheduled/{change}"),
    "expectations": _of("/config/expectations"),
    "impact": _of("/config/impact/{impact}"),
    "versions": _of("/config/versions", ("", "cursor=3")),
    "version": _of("/config/versions/{newest}"),
    "version-diff": _of("/config/versions/{newest}/diff", ("to={oldest}",)),
    "queues": _of("/queues", ("", "limit=1000")),
    "queue-pending": _of("/queues/{queue}/pending"),
    "queue": _of("/queues/{queue}"),
    "shares": _of("/shares", ("", "of={queue}")),
    "users": _of("/users", ("", "q=a&kind=group&limit=1000")),
    "placement-rules": _of("/placement-rules"),
    "cohorts": _of("/cohorts", ("", "limit=1000")),
    "cohort": _of("/cohorts/{cohort}"),
    "capacity": _of("/capacity", ("", "nodes=false&limit=1000", "cursor=3")),
    "cluster": _of("/capacity/clusters/{cluster}"),
    "accounts": _of("/accounts", ("", "by=label.team&step=week")),
    "usage": _of("/usage", ("", "queue={queue}&step=hour")),
    "waits": _of("/waits", ("", "queue={queue}")),
    "decisions": _of("/decisions", ("", "after=3", "outcome=preempted&outcome=withdrawn")),
    "events": _of(
        "/events",
        ("", "type=REQUEST_REJECTED", "user=nobody", "project=nothing", "actor=nobody"),
    ),
    "audit": _of("/audit", ("", "actor=nobody", "ip=203.0.113.1", "action=token")),
    "members": _of("/members"),
    "invitations": _of("/invitations"),
    "tokens": _of("/tokens"),
    "token": _of("/tokens/{token}"),
    "webhooks": _of("/webhooks"),
    "webhook": _of("/webhooks/{webhook}"),
    "deliveries": _of("/webhooks/{webhook}/deliveries", ("", "state=failed")),
    "delivery": _of("/webhooks/{webhook}/deliveries/{delivery}"),
    "schema": ("schema/",),
}

#: Routes that are never read.
SENT: Final = (
    *("finish-workloads", "withdraw-workloads", "release-workloads", "resubmit-workloads"),
    *("search", "finish-workload", "withdraw-workload", "release-workload"),
    *("change-priority", "change-priorities"),
    *("deactivate-workload", "activate-workload", "deactivate-workloads", "activate-workloads"),
    *("finish-pods", "release-pods", "member-identity"),
    *(
        "config-check",
        "config-rollback",
        "config-confirm",
        "review-comments",
        "carry-out-scheduled-change",
        "config-route",
        "check-expectations",
    ),
    *("delete-expectations", "config-impact", "cancel-impact", "hold-queue", "resume-queue"),
    "change-quota",
    "move-rule",
    "create-queue",
    "change-cohort-quota",
    "heartbeat",
    *("member", "invitation", "rotate-token", "rotate-webhook", "test-webhook"),
    *("replay-delivery", "view", "no-such-address"),
)
