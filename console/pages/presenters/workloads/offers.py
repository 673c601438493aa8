"""Advised changes of a workload, each with the button that makes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from console.engine.counterfactual.change import Change, ChangeKind
from console.engine.explain.changes import changed_part
from console.engine.model.policy import Policy
from console.orgs.permissions import Actor, Permission
from console.pages.presenters.workloads.workload import Fact, changes_of
from console.pages.repeated_workload import repeat_address
from console.policies.queries import active_policy
from console.workloads.advice import Advice
from console.workloads.changed_requests import CHANGED_REQUESTS, with_change
from console.workloads.models import Workload
from console.workloads.queries.sections import COHORTS, has_section
from console.workloads.resubmission import submission_of

#: Changes of the request that the submitter makes in the form.
_BY_HAND = frozenset({ChangeKind.REQUEST, ChangeKind.FILTER, ChangeKind.PREFERENCE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """A link to a form, or a POST with *do* if it is not empty."""

    title: str
    url: str
    do: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A change in words, and the button that makes it, or the role to ask for it."""

    fact: Fact
    button: Button | None = None
    #: A sentence for a reader who may not make the change.
    ask: str = ""


def offers_of(actor: Actor, workload: Workload, found: Advice) -> tuple[Offer, ...]:
    """Return the changes that would start *workload*, a row of `workload_rows`."""
    may_apply = any(change.kind is ChangeKind.QUOTA for change, _ in found.changes) and actor.may(
        Permission.APPLY
    )
    pages = _quota_pages(active_policy(actor.org)) if may_apply else {}
    return tuple(
        _offer(actor, workload, change, fact, pages)
        for (change, _), fact in zip(found.changes, changes_of(found), strict=True)
    )


def _offer(
    actor: Actor, workload: Workload, change: Change, fact: Fact, pages: Mapping[str, str]
) -> Offer:
    if change.kind in CHANGED_REQUESTS | _BY_HAND:
        # The template of a config states the filters of many workloads.
        if change.template is not None:
            return Offer(fact=fact)
        return _resubmission(actor, workload, change, fact)
    if change.kind is ChangeKind.RESUME and change.queue is not None:
        if not actor.may(Permission.HOLD_QUEUES):
            return Offer(fact=fact, ask="Ask an operator or owner to resume the queue.")
        url = reverse("pages:queue", args=[actor.org.slug, change.queue])
        return Offer(fact=fact, button=Button(title=f"Resume {change.queue}", url=url, do="resume"))
    if change.kind is ChangeKind.QUOTA and change.queue is not None:
        return _quota(actor, change, fact, pages)
    if change.kind in (ChangeKind.POLICY, ChangeKind.RULE, ChangeKind.CLUSTER_LABEL):
        if not actor.may(Permission.DRAFT):
            return Offer(fact=fact, ask="Ask an editor or owner to change it.")
        if change.kind is ChangeKind.CLUSTER_LABEL:
            # The config declares no cluster that reports its own labels.
            return Offer(fact=fact)
        line = f"#L{change.origin.line}" if change.origin is not None else ""
        url = reverse("pages:config-edit", args=[actor.org.slug]) + line
        return Offer(fact=fact, button=Button(title="Edit the config", url=url))
    return Offer(fact=fact)


def _resubmission(actor: Actor, workload: Workload, change: Change, fact: Fact) -> Offer:
    if not actor.may(Permission.SUBMIT):
        return Offer(fact=fact, ask="Ask its submitter, or an operator, to submit it again.")
    is_made = (
        change.kind in CHANGED_REQUESTS and with_change(submission_of(workload), change) is not None
    )
    words = f"Resubmit {changed_part(change)}".rstrip() if is_made else "Resubmit with changes"
    url = repeat_address(actor.org, workload.uid, change if is_made else None)
    return Offer(fact=fact, button=Button(title=words, url=url))


def _quota_pages(policy: Policy) -> dict[str, str]:
    """Return the page of the quota form of each queue, and of each cohort that the config has."""
    pages = dict.fromkeys(policy.queues, "queue-quota")
    if has_section(policy, COHORTS):
        cohorts = (name for name, origin in policy.spec.parents.items() if origin is not None)
        pages |= dict.fromkeys(cohorts, "cohort-quota")
    return pages


def _quota(actor: Actor, change: Change, fact: Fact, pages: Mapping[str, str]) -> Offer:
    if not actor.may(Permission.APPLY):
        return Offer(fact=fact, ask="Ask an owner to change the quota.")
    page = pages.get(change.queue or "")
    if page is None or not isinstance(change.to, int):
        # The form changes numbers that the config states, and removes none.
        return Offer(fact=fact)
    flavor, _, resource = change.subject.rpartition("/")
    query = {"flavor": flavor, "resource": resource, "from": change.from_, "to": change.to}
    url = reverse(f"pages:{page}", args=[actor.org.slug, change.queue])
    button = Button(title=f"Change the quota of {change.queue}", url=f"{url}?{urlencode(query)}")
    return Offer(fact=fact, button=button)
