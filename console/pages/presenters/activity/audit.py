"""Rows of the audit log: a sentence, the changed facts and links for each entry."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.http import QueryDict
from django.urls import reverse

from console.engine.model.amounts import format_amount
from console.orgs.chain import sealed_facts_of
from console.orgs.models import AuditEntry, Organization
from console.pages.personal_formats import active_formats
from console.pages.presenters.lists.addresses import with_query
from console.reading.query import parse_moment

#: Names of the changed facts that are times, in ISO 8601.
_TIMES: Final = frozenset(
    {"due_at", "expires_at", "old_ends_at", "old_until", "reverts_at", "until"}
)

#: Action -> predicate of the sentence, with {subject} and {count} of the entry.
_DONE = {
    "session.sign_in": "signed in",
    "session.sign_in_failed": "failed to sign in: wrong password",
    "session.sign_out": "signed out",
    "session.revoke": "signed out their other sessions",
    "account.password": "changed their password",
    "account.connect": "connected their account to the sign-in provider",
    "account.take_over": "took over an account created by an earlier invitation",
    "account.confirm_address": "confirmed their e-mail address",
    "account.org_creation": "got or lost the permission to create organizations",
    "org.create": "created the organization {subject}",
    "org.rename": "renamed the organization",
    "org.approval": "changed whether config changes need approval",
    "member.add": "made {subject} a member",
    "member.role": "changed the role of {subject}",
    "member.identity": "changed the user or groups of {subject}",
    "member.remove": "removed {subject}",
    "member.leave": "left the organization",
    "invitation.create": "invited {subject}",
    "invitation.revoke": "revoked the invitation of {subject}",
    "invitation.accept": "accepted the invitation of {subject}",
    "invitation.decline": "declined the invitation of {subject}",
    "token.issue": "created token {subject}",
    "token.rotate": "rotated token {subject}",
    "token.revoke": "revoked token {subject}",
    "token.keep": "transferred token {subject} of a member who lost its role",
    "config.apply": "applied config version {subject}",
    "config.rollback": "rolled back, as config version {subject}",
    "config.revert": "rolled back an unconfirmed apply, as config version {subject}",
    "config.confirm": "confirmed config version {subject}",
    "draft.begin": "created draft {subject}",
    "draft.take_over": "took over draft {subject}",
    "draft.merge": "merged draft {subject} with the active version",
    "draft.rebase": "rebased draft {subject} on the active version",
    "draft.discard": "discarded draft {subject}",
    "review.request": "submitted review request {subject}",
    "review.comment": "commented on review request {subject}",
    "review.approve": "approved review request {subject}",
    "review.request_changes": "requested changes in review request {subject}",
    "review.withdraw": "withdrew review request {subject}",
    "schedule.create": "scheduled change {subject}",
    "schedule.move": "moved scheduled change {subject} to another time",
    "schedule.cancel": "canceled scheduled change {subject}",
    "schedule.fail": "did not carry out scheduled change {subject}",
    "expectation.save": "saved the expectation {subject}",
    "expectation.delete": "deleted the expectation {subject}",
    "impact.ask": "requested impact {subject}",
    "impact.cancel": "canceled impact {subject}",
    "cluster.report": "reported cluster {subject}",
    "cluster.delete": "deleted cluster {subject}",
    "queue.hold": "held queue {subject}",
    "queue.resume": "resumed queue {subject}",
    "view.save": "saved the view {subject}",
    "view.delete": "deleted the view {subject}",
    "webhook.create": "created webhook {subject}",
    "webhook.update": "changed webhook {subject}",
    "webhook.pause": "paused webhook {subject}: receiver not reachable",
    "webhook.delete": "deleted webhook {subject}",
    "webhook.rotate": "replaced the secret of webhook {subject}",
    "notifications.confirm": "requested a confirmation e-mail to {subject}",
    "notifications.update": "changed the e-mail notifications of {subject}",
    "notifications.test": "sent a test e-mail to {subject}",
    "webhook.test": "sent a test to webhook {subject}",
    "webhook.redeliver": "sent a delivery of webhook {subject} again",
    "workload.submit": "submitted {count}",
    "workload.finish": "finished {count}",
    "workload.withdraw": "withdrew {count}",
    "workload.release": "released {count}",
    "workload.change_priority": "changed the priority of {count}",
    "workload.deactivate": "deactivated {count}",
    "workload.activate": "activated {count}",
    "workload.finish_pods": "reported finished pods of workload {subject}",
    "workload.release_pods": "released pods of workload {subject}",
}

#: Families of actions in the filter, with the prefixes of their actions.
_FAMILIES = (
    ("All", ()),
    ("Sign-ins", ("session", "account")),
    ("People and tokens", ("org", "member", "invitation", "token")),
    ("Config", ("config", "draft", "review", "schedule", "expectation", "impact")),
    ("Queues", ("queue",)),
    ("Clusters", ("cluster",)),
    ("Webhooks", ("webhook",)),
    ("Workloads", ("workload",)),
)

#: Actors other than users and tokens: key -> title.
_OTHERS = {
    "timer": "Timer of {}",
    "schedule": "Schedule of {}",
    "command": "Command line",
    "webhook": "Worker of {}",
}

#: Kind of subject -> URL of the page that shows it.
_PAGES: Mapping[str, Callable[[str, str], str]] = {
    "config": lambda org, subject: reverse("pages:config-version", args=[org, subject]),
    "cluster": lambda org, subject: reverse("pages:cluster", args=[org, subject]),
    "queue": lambda org, subject: reverse("pages:queue", args=[org, subject]),
    "workload": lambda org, subject: reverse("pages:workload", args=[org, subject]),
    "webhook": lambda org, subject: reverse("pages:webhook", args=[org, subject]),
    "draft": lambda org, subject: reverse("pages:config-draft", args=[org, subject]),
    "review": lambda org, subject: reverse("pages:config-request", args=[org, subject]),
    "schedule": lambda org, subject: reverse("pages:config-scheduled-change", args=[org, subject]),
    "impact": lambda org, subject: reverse("pages:config-impact-run", args=[org, subject]),
    "expectation": lambda org, subject: reverse("pages:expectations", args=[org]),
    "member": lambda org, subject: reverse("pages:members", args=[org]),
    "invitation": lambda org, subject: reverse("pages:invitations", args=[org]),
    "token": lambda org, subject: reverse("pages:api-tokens", args=[org]),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One fact that an action changed, as JSON; empty if there was or is no value."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One entry of the audit log."""

    entry: AuditEntry
    actor: str
    #: The predicate of the sentence in three parts: before the subject, the subject, and the rest.
    done: str
    subject: str
    rest: str
    at: datetime
    #: The page of the subject; empty if no page shows it any more.
    subject_url: str
    differences: tuple[Difference, ...]
    #: Filtered logs: this entry, those of the same request, of the actor, and of the subject.
    url: str
    request_url: str
    actor_url: str
    subject_entries_url: str
    facts: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """A family of actions in the filter, and the URL of the log filtered by it."""

    title: str
    url: str
    is_chosen: bool


def families_of(path: str, query: QueryDict) -> tuple[Family, ...]:
    """Return the families of actions in the filter; the first one stands for all actions."""
    found = []
    for title, words in _FAMILIES:
        chosen = query.copy()
        chosen.setlist("action", list(words))
        found.append(
            Family(
                title=title,
                url=with_query(path, chosen, cursor=None),
                is_chosen=sorted(query.getlist("action")) == sorted(words),
            )
        )
    return tuple(found)


def audit_rows(org: Organization, entries: Iterable[AuditEntry]) -> tuple[AuditRow, ...]:
    """Return the rows of *entries*, in the same order."""
    return tuple(_row(org, entry) for entry in entries)


def action_title(action: str) -> str:
    """
    Return the title of an action.

    >>> action_title("session.sign_in_failed")
    'Session: sign in failed'
    """
    family, _, rest = action.partition(".")
    return f"{family.capitalize()}: {rest.replace('_', ' ')}"


def _row(org: Organization, entry: AuditEntry) -> AuditRow:
    here = reverse("pages:audit", args=[org.slug])
    count = (entry.after or {}).get("count", 1)
    named = "workload {subject}" if entry.subject else f"{count} workloads"
    words = _DONE.get(entry.action, f"{entry.action} {{subject}}").replace("{count}", named)
    done, about_one, rest = words.partition("{subject}")
    gone = entry.action.endswith((".discard", ".delete"))
    page = None if gone or not entry.subject else _PAGES.get(entry.kind)
    about = {"kind": entry.kind, "subject": entry.subject}
    return AuditRow(
        entry=entry,
        actor=_OTHERS.get(entry.actor_key, "{}").format(entry.actor),
        done=done,
        subject=entry.subject if about_one else "",
        rest=rest,
        at=entry.created_at,
        subject_url=page(org.slug, entry.subject) if page else "",
        differences=_differences(entry.before or {}, entry.after or {}),
        url=f"{here}?id={entry.pk}",
        request_url=_url(here, request=entry.request_id) if entry.request_id else "",
        actor_url=_url(here, actor=entry.actor_key),
        subject_entries_url=_url(here, **about) if entry.subject else "",
        facts=json.dumps(sealed_facts_of(entry), indent=2, ensure_ascii=False),
    )


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Difference, ...]:
    # Databases return the keys of JSON in different orders.
    names = sorted({*before, *after})
    return tuple(
        Difference(name=name, before=_written(before, name), after=_written(after, name))
        for name in names
        if _written(before, name) != _written(after, name)
    )


def _written(facts: Mapping[str, Any], name: str) -> str:
    value = facts.get(name)
    if name == "requests" and isinstance(value, Mapping):
        # Text is in units; a number was recorded by an older version, in thousandths.
        value = {
            resource: format_amount(amount) if isinstance(amount, int) else amount
            for resource, amount in value.items()
        }
    if value in (None, "", [], {}):
        return ""
    if name in _TIMES and isinstance(value, str):
        return active_formats().second(parse_moment(value))
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _url(path: str, **query: str) -> str:
    return f"{path}?{urlencode(query)}"
