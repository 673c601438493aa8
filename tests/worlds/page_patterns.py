"""URL patterns of all pages by route, with placeholders for example objects of a world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

_ORG: Final = "o/{org}"

#: Search parameters of lists: alone, combined, and without any match.
_WORKLOADS: Final = (
    "",
    "state=pending",
    "state=rejected",
    "queue={queue}",
    "queue={queue}&state=pending",
    "reason=waiting_for_quota",
    "reason=exceeds_max_quota",
    "reason=no_flavor_matched",
    "user=user-7",
    "project=project-3&state=finished",
    "type=service&state=finished",
    "label.team={queue}",
    "label.stage=stage-3&state=admitted",
    "label.team=nobody",
    "flavor=spot&state=admitted",
    "flavor=nothing",
    "q=train-04",
    "q=nothing-like-it",
    "user=user-7&queue={queue}&state=finished&label.stage=stage-0",
    "since=2001-01-01T00:00:00Z&until=2002-01-01T00:00:00Z",
    "since=2001-01-01T00:00:00Z&user=user-7",
    "group_by=reason",
    "group_by=queue&state=pending",
    "group_by=flavor",
    "cols=queue%2Clabel.team",
    "cursor=3",
)
_EVENTS: Final = (
    "",
    "type=REQUEST_REJECTED",
    "type=REQUEST_REJECTED&type=REQUEST_ADMITTED&level=INFO",
    "queue={queue}&level=WARNING",
    "level=ERROR",
    "workload={finished}",
    "user=user-7",
    "user=nobody",
    "project=project-3",
    "project=nothing",
    "actor=nobody",
    "user=user-7&project=nothing",
    "config={newest}",
    "since=2001-01-01&until=2001-01-02",
    "cursor=3",
)
_AUDIT: Final = (
    "",
    "action=config&action=session",
    "actor=person-007%40{org}.example",
    "actor=nobody",
    "subject=nothing",
    "ip=192.0.2.7",
    "ip=203.0.113.1",
    "request=nothing",
    "kind=queue&subject={queue}",
    "action=token&actor=nobody",
    "cursor=3",
)


def _of(path: str, queries: Iterable[str] = ("",)) -> Sequence[str]:
    """Return *path* below the organization, once with each of *queries*."""
    return tuple(f"{_ORG}{path}{'?' if query else ''}{query}" for query in queries)


#: Route -> patterns.
PAGES: Final[Mapping[str, Sequence[str]]] = {
    "home": ("",),
    "sign-in": ("login",),
    "password": ("password",),
    "sessions": ("sessions",),
    "invitation": ("join",),
    "join": ("join/{join}",),
    "unsubscribe": ("unsubscribe/nothing",),
    "confirmation": ("confirm/nothing",),
    "tokens": ("tokens",),
    "client-keys": ("v2/api-keys",),
    "docs": ("docs/", "docs/?q=quota", "docs/?q=no-such-word"),
    "docs-page": ("docs/workloads/", "docs/kueue-reference/", "docs/diagnostics/"),
    "docs-start": ("docs",),
    "docs-file": ("docs/queues",),
    "orgs": ("o/?all", "o/?all&q=nothing"),
    "org-new": ("organizations/new",),
    "overview": _of("/", ("", "resource=gpu", "table=gpu")),
    "attention": _of("/attention"),
    "search": _of("/search", ("", "q={queue}", "q={pending}", "q=v1", "q=nothing-like-it")),
    "queues": _of(
        "/queues",
        (
            *("", "sort=utilization", "sort=age&group=cohort&state=accepting", "q=nothing"),
            *("group=tree", "group=tree&levels=20", "cols=cohort,oldest,pressure"),
            *("cohort={cohort}", "compare={queue}&compare={other_queue}", "cursor=3"),
        ),
    ),
    "usage": _of(
        "/usage",
        ("", "range=30d", "range=7d&table=all", "by=queue", "by=label.team&range=30d&step=hour"),
    ),
    "queue-usage": _of("/queues/{queue}/usage", ("", "range=30d", "range=30d&table=workloads")),
    "queue-bars": _of("/queues/{queue}/bars", ("", "but=tightest")),
    "queue-quota": _of("/queues/{queue}/quota"),
    "config-queue-new": _of("/config/queues/new"),
    "config-rule-move": _of("/config/rules/move", ("", "rule=1")),
    "cohort-quota": _of("/cohorts/{cohort}/quota"),
    "queue": _of(
        "/queues/{queue}",
        (
            *("", "reason=waiting_for_quota", "tab=running", "tab=running&by=newest"),
            *("tab=rules", "tab=history", "hold=1", "cursor=3.5.3"),
        ),
    ),
    "shares": _of("/shares", ("", "show=cpu&of={queue}")),
    "users": _of("/users", ("", "q=a&kind=user&of=sue")),
    "placement-rules": _of("/placement-rules"),
    "cohorts": _of("/cohorts", ("", "sort=contention", "q=nothing")),
    "quota-bars": _of("/help/quota-bars"),
    "cohort-usage": _of("/cohorts/{cohort}/usage", ("", "range=30d")),
    "cohort": _of("/cohorts/{cohort}", ("", "sort=borrowed")),
    "capacity": _of("/capacity", ("", "q=nothing", "cursor=3")),
    "cluster-usage": _of("/capacity/{cluster}/usage", ("", "range=30d")),
    "cluster": _of(
        "/capacity/{cluster}",
        ("", "q=node-1", "label.zone=a&ready=false", "cursor=49"),
    ),
    "workloads": _of("/workloads", _WORKLOADS),
    "workload-new": _of("/workloads/new", ("", "repeat={pending}")),
    "workload-trace": _of("/workloads/{pending}/trace"),
    "workload-views": _of("/workloads/views"),
    "queues-words": _of("/queue-words", ("", "line=state%3Ah")),
    "workloads-words": _of(
        "/workloads/words", ("", "line=state%3Ap", "line=zone", "line=wrong%3A")
    ),
    "workloads-mine": _of("/workloads/mine"),
    "workloads-reason": _of(
        "/workloads/explain",
        tuple(
            f"reason={reason}"
            for reason in ("waiting_for_quota", "behind_others", "no_rule_matched")
        ),
    ),
    "workload": (
        *_of("/workloads/{pending}", ("", "tab=timeline", "tab=spec", "trace=technical")),
        *_of("/workloads/{never}", ("", "trace=json")),
        *_of("/workloads/{finished}", ("", "tab=timeline")),
        *_of("/workloads/{admitted}"),
        *_of("/workloads/{preempting}"),
        *_of("/workloads/{rejected}"),
        *_of("/workloads/{withdrawn}"),
        *_of("/workloads/{victim}"),
        *_of("/workloads/{beneficiary}"),
    ),
    "workload-changes": (
        *_of("/workloads/{pending}/changes"),
        *_of("/workloads/{never}/changes"),
    ),
    "workload-compare": (
        *_of("/workloads/{pending}/compare", ("", "with={admitted}")),
        *_of("/workloads/{rejected}/compare"),
    ),
    "decision": _of("/workloads/{decided}/decisions/{decision}"),
    "preemption": (
        *_of("/workloads/{victim}/preemptions/{preemption}", ("", "as=markdown")),
        *_of("/workloads/{beneficiary}/preemptions/{preemption}"),
    ),
    "config": _of("/config"),
    "config-edit": _of("/config/edit"),
    "config-codes": _of("/config/codes"),
    "config-drafts": _of("/config/drafts"),
    "config-draft": _of("/config/drafts/{draft}"),
    "config-draft-text": _of("/config/drafts/{draft}/text"),
    "config-review": _of("/config/review", ("draft={draft}", "to={oldest}")),
    "config-requests": _of("/config/reviews"),
    "config-request": _of("/config/reviews/{review}", ("", "line=1")),
    "config-scheduled": _of("/config/scheduled"),
    "config-scheduled-change": _of("/config/scheduled/{change}"),
    "config-conflict": _of("/config/conflict", ("draft={draft}",)),
    "config-impact": _of("/config/impact", ("to={oldest}",)),
    "config-impact-run": _of("/config/impact/{impact}", ("draft={draft}",)),
    "config-history": _of(
        "/config/history",
        (
            *("", "noun=queue&name={queue}", "kind=timer", "author=nobody"),
            *("noun=rule&name=nothing", "since=2001-01-01&until=2001-01-02"),
        ),
    ),
    "config-version": (
        *_of("/config/v/{newest}", ("", "diff=meaning", "diff=split", "blame=1")),
        *_of("/config/v/{newest}", ("lines=501", "lines=all&blame=1")),
        *_of("/config/v/{oldest}"),
    ),
    "config-compare-form": _of("/config/compare", ("", "a={oldest}")),
    "config-compare": _of(
        "/config/compare/{oldest}...{newest}",
        ("", "diff=meaning", "diff=effective", "diff=text&open=1&from=500", "groups="),
    ),
    "tester": _of(
        "/tools/route",
        (
            "",
            "config=active&key=team&value={queue}&requests=gpu%3D8&priority=5",
            "config={oldest}&beside=active&key=team&value=nobody",
            "workload={pending}",
        ),
    ),
    "tester-batch": _of("/tools/route/many"),
    "placements": _of("/tools/placements", ("", "columns=3")),
    "expectations": _of("/tools/expectations", ("", "config={oldest}", "as=yaml")),
    "expectation-new": _of("/tools/expectations/new"),
    "expectation": _of("/tools/expectations/{expectation}"),
    "events": _of("/events", _EVENTS),
    "audit": _of("/events/audit", _AUDIT),
    "settings": _of("/settings"),
    "members": _of("/settings/members", ("", "q=person&role=viewer", "q=nobody", "cursor=3")),
    "member": _of("/settings/members/{member}"),
    "invitations": _of("/settings/invitations"),
    "invitation-new": _of("/settings/invitations/new"),
    "api-tokens": _of("/settings/tokens", ("", "state=ended")),
    "api-token-new": _of("/settings/tokens/new"),
    "api-token": _of("/settings/tokens/{token}"),
    "org-settings": _of("/settings/organization"),
    "approval": _of("/settings/approval"),
    "retention": _of("/settings/retention"),
    "notifications": _of("/settings/notifications"),
    "appearance": _of("/settings/appearance"),
    "webhooks": _of("/settings/webhooks"),
    "webhook-new": _of("/settings/webhooks/new"),
    "webhook": _of("/settings/webhooks/{webhook}", ("", "state=failed", "state=failed&kind=test")),
    "webhook-edit": _of("/settings/webhooks/{webhook}/edit"),
    "webhook-delivery": _of("/settings/webhooks/{webhook}/deliveries/{delivery}"),
}

#: Routes that accept only POST.
SENT: Final = (
    *("sign-out", "theme", "config-check", "config-complete", "config-explain"),
    *("config-context", "config-hits", "config-draft-begin", "config-draft-save"),
    *("config-draft-visit", "config-draft-leave", "config-fix", "config-confirm"),
    *("config-impact-again", "config-impact-cancel", "invitation-revoke"),
    "answer-invitation",
    *("workloads-selected", "config-fix-all"),
)
