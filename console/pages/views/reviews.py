"""Views of a review: changes and consequences of a draft or old version, and the apply."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from console.configs.errors import (
    ConfigRejected,
    ConsequencesNotAccepted,
    StaleVersion,
)
from console.configs.models import ConfigVersion, Draft, ReviewRequest
from console.configs.queries import get_review, proposed_end, review_of, schedule_of_draft
from console.configs.services.apply_config import apply_config
from console.configs.services.consequences import consequences_of, known_affected
from console.configs.services.discard_draft import discard_draft
from console.configs.services.fix_draft import fix_draft
from console.configs.services.lint_config import Checked, lint_config
from console.configs.services.roll_back import roll_back
from console.configs.services.schedule_apply import schedule_apply
from console.dialects.diagnostics import Severity
from console.dialects.objects import compare_policies
from console.engine.model.history import Backlog
from console.engine.simulation.affected import affected_workloads
from console.errors import BadRequest, Conflict, FieldError
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.draft_address import draft_of_request, read_number
from console.pages.local_times import read_local
from console.pages.presenters.configs.differences import Difference, Side, difference_of
from console.pages.presenters.configs.review import confirmation_of, fixables
from console.pages.presenters.configs.schedule import ScheduledRow, scheduled_row
from console.pages.presenters.configs.version_sides import NOTHING, version_side
from console.pages.review_form import ReviewForm, read_review
from console.pages.shell import render_page
from console.pages.views.conflicts import conflict_page
from console.pages.views.review_requests import to_request
from console.policies.queries import NO_POLICY, active_version, get_version, policy_of
from console.workloads.queries.backlog import backlog_of
from console.workloads.queries.recent_history import recent_history


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A config text to apply as the next version: a draft, a review request, or an old version."""

    dialect: str
    text: str
    base: int
    draft: Draft | None = None
    target: ConfigVersion | None = None
    request: ReviewRequest | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Review:
    """A proposal and its check, against the active version."""

    request: HttpRequest
    actor: Actor
    proposal: Proposal
    active: ConfigVersion | None
    checked: Checked


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def review(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the changes of the proposal against the active version, or apply it."""
    actor.require(Permission.DRAFT)
    proposal = _proposal(request, actor)
    if proposal is None:
        return HttpResponseRedirect(reverse("pages:config-edit", args=[actor.org.slug]))
    with expensive(Kind.COMPARE, actor.org.pk, actor.key, size=len(proposal.text)):
        return _reviewed(request, actor, proposal)


def _reviewed(request: HttpRequest, actor: Actor, proposal: Proposal) -> HttpResponse:
    found = _Review(
        request=request,
        actor=actor,
        proposal=proposal,
        active=active_version(actor.org),
        checked=lint_config(actor, proposal.dialect, proposal.text),
    )
    if proposal.draft and proposal.base != (found.active.number if found.active else 0):
        # Applying the draft now would undo versions that were applied after its base.
        if request.method == "POST" and found.active:
            return conflict_page(request, actor, proposal.draft, found.active, status=409)
        url = reverse("pages:config-conflict", args=[actor.org.slug])
        return HttpResponseRedirect(f"{url}?draft={proposal.draft.pk}")
    if proposal.request and proposal.base != (found.active.number if found.active else 0):
        # The page of the request says which version is active, and how to continue.
        return to_request(actor, proposal.request)
    if request.method == "POST":
        return _apply(found)
    return _page(found, ReviewForm(message=_default_message(actor, proposal)))


@org_page
@require_POST
def fix(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Apply a fix of the draft's diagnostics, and redirect to the review."""
    number = read_number(request.POST.get("draft", ""), "draft")
    revision = read_number(request.POST.get("revision", ""), "revision")
    fix_draft(actor, number, revision, request.POST.get("fix", ""))
    return HttpResponseRedirect(
        f"{reverse('pages:config-review', args=[actor.org.slug])}?draft={number}"
    )


def _proposal(request: HttpRequest, actor: Actor) -> Proposal | None:
    target = request.POST.get("to") or request.GET.get("to", "")
    if target:
        old = get_version(actor.org, read_number(target, "to"))
        return Proposal(dialect=old.dialect, text=old.text, base=old.number, target=old)
    number = request.POST.get("request") or request.GET.get("request", "")
    if number:
        review = get_review(actor.org, read_number(number, "request"))
        return Proposal(dialect=review.dialect, text=review.text, base=review.base, request=review)
    draft = draft_of_request(request, actor)
    if draft is None:
        return None
    return Proposal(dialect=draft.dialect, text=draft.text, base=draft.base, draft=draft)


def _default_message(actor: Actor, proposal: Proposal) -> str:
    if proposal.target and actor.org.approval_required:
        # The owner has to state a reason.
        return ""
    if proposal.request:
        return proposal.request.title
    if proposal.target:
        return f"Roll back to version {proposal.target.number}"
    return proposal.draft.title if proposal.draft else ""


def _apply(found: _Review) -> HttpResponse:
    actor, proposal = found.actor, found.proposal
    form = read_review(found.request)
    if proposal.draft and form.revision != str(proposal.draft.revision):
        notice = "The draft was saved after you opened this review. This is its current text."
        return _page(found, form.without_confirmations(), notice=notice, status=409)
    if proposal.draft and schedule_of_draft(proposal.draft):
        return _page(found, form, status=409)
    try:
        apply_at = read_local(found.request.POST, "apply_at")
        if apply_at is not None and not proposal.target:
            return _schedule(actor, proposal, form, apply_at)
        made = _apply_proposal(actor, proposal, form)
    except ConfigRejected:
        return _page(found, form, status=422)
    except BadRequest as error:
        notice = " ".join(finding.message for finding in error.errors)
        return _page(found, form, notice=notice, status=422)
    except ConsequencesNotAccepted:
        return _page(found, form, was_sent=True, status=422)
    except StaleVersion as error:
        return _stale_page(found, form, error)
    except Conflict as error:
        return _page(found, form, notice=error.message, status=409)
    if proposal.draft:
        discard_draft(actor, proposal.draft.pk, proposal.draft.revision)
    if proposal.request and (draft := proposal.request.draft):
        _discard_applied(actor, proposal, draft)
    url = reverse("pages:config-version", args=[actor.org.slug, made.number])
    if made.number == form.expected_version:
        messages.info(
            found.request,
            f"Nothing was applied: the text is identical to the active version {made.number}.",
        )
        return HttpResponseRedirect(url)
    return HttpResponseRedirect(f"{url}?applied=1")


def _schedule(
    actor: Actor, proposal: Proposal, form: ReviewForm, apply_at: datetime
) -> HttpResponse:
    """Schedule the apply of *proposal*, and redirect to the page of the schedule."""
    if form.revert_after is not None:
        message = "A scheduled apply cannot require a confirmation: clear the time, or choose none."
        raise BadRequest([FieldError("apply_at", "invalid_choice", message)])
    draft = proposal.draft or (proposal.request.draft if proposal.request else None)
    if draft and (draft.dialect, draft.text) != (proposal.dialect, proposal.text):
        draft = None
    change = schedule_apply(
        actor,
        proposal.dialect,
        proposal.text,
        form.message,
        form.expected_version,
        apply_at,
        accept=form.accepted(form.expected_version + 1),
        draft=draft,
    )
    url = reverse("pages:config-scheduled-change", args=[actor.org.slug, change.pk])
    return HttpResponseRedirect(url)


def _discard_applied(actor: Actor, proposal: Proposal, draft: Draft) -> None:
    """Discard the draft of an applied review request, unless it has another text by now."""
    if (draft.dialect, draft.text) == (proposal.dialect, proposal.text):
        discard_draft(actor, draft.pk, draft.revision)


def _apply_proposal(actor: Actor, proposal: Proposal, form: ReviewForm) -> ConfigVersion:
    accept = form.accepted(form.expected_version + 1)
    via = ConfigVersion.Via.PAGE
    if proposal.target:
        return roll_back(
            actor,
            proposal.target.number,
            form.expected_version,
            form.message,
            accept=accept,
            revert_after=form.revert_after,
            via=via,
        )
    return apply_config(
        actor,
        proposal.dialect,
        proposal.text,
        form.message,
        form.expected_version,
        accept=accept,
        revert_after=form.revert_after,
        via=via,
    )


def _stale_page(found: _Review, form: ReviewForm, error: StaleVersion) -> HttpResponse:
    draft, active = found.proposal.draft, active_version(found.actor.org)
    if draft and active:
        return conflict_page(found.request, found.actor, draft, active, status=409)
    notice = f"{error.message} These are the changes against it."
    return _page(
        replace(found, active=active), form.without_confirmations(), notice=notice, status=409
    )


def _page(
    found: _Review,
    form: ReviewForm,
    *,
    notice: str = "",
    was_sent: bool = False,
    status: int = 200,
) -> HttpResponse:
    actor, proposal, active, policy = (
        found.actor,
        found.proposal,
        found.active,
        found.checked.reading.policy,
    )
    before = policy_of(active) if active else NO_POLICY
    number = active.number if active else 0
    context = {
        "proposal": proposal,
        "base": number,
        "next": number + 1,
        "is_unchanged": active is not None
        and (active.dialect, active.text) == (proposal.dialect, proposal.text),
        "reading": found.checked.reading,
        "difference": _difference(found),
        "warnings": [
            item for item in found.checked.findings if item.severity is not Severity.ERROR
        ],
        "notice": notice,
        "form": form,
        "host": found.request.build_absolute_uri("/").rstrip("/"),
        "approval": _approval_of(found, number),
        "schedule": schedule_of_draft(proposal.draft) if proposal.draft else None,
        "proposed_end": _proposed_end(found),
        "fixable": fixables(found.checked.reading.diagnostics),
    }
    if policy is not None:
        backlog = backlog_of(actor.org) if active else Backlog()
        context["confirmation"] = confirmation_of(
            consequences_of(actor, proposal.dialect, proposal.text, found.checked, backlog),
            form,
            version=number + 1,
            affected=known_affected(actor.org, proposal.dialect, proposal.text, number),
            at_most=affected_workloads(
                before,
                policy,
                compare_policies(before, policy),
                found.checked.facts.live,
                backlog,
            ),
            back_to=proposal.target.number if proposal.target else None,
            was_sent=was_sent,
        )
    return render_page(
        found.request, actor, "configs/review.html", context, section="config", status=status
    )


def _proposed_end(found: _Review) -> ScheduledRow | None:
    """Return the end of the temporary change that the apply of an approved text begins."""
    request = found.proposal.request
    end = proposed_end(request) if request else None
    return scheduled_row(found.actor.org.slug, end) if end else None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Approval:
    """Whether the proposal may be applied, and its review request if there is one."""

    review: ReviewRequest | None
    #: An apply is refused until another member approves the text.
    is_missing: bool


def _approval_of(found: _Review, base: int) -> _Approval:
    org, proposal = found.actor.org, found.proposal
    review = review_of(org, proposal.dialect, proposal.text, base)
    is_approved = review is not None and review.state == ReviewRequest.State.APPROVED
    is_missing = org.approval_required and not is_approved and not proposal.target
    return _Approval(review=review, is_missing=is_missing)


def _difference(found: _Review) -> Difference:
    request, org, proposal = found.request, found.actor.org, found.proposal
    title, url = "this draft", ""
    if proposal.request:
        title = f"review request {proposal.request.pk}"
    if proposal.target:
        number = proposal.target.number
        title = f"version {number}"
        url = reverse("pages:config-version", args=[org.slug, number])
    return difference_of(
        request.path,
        request.GET,
        version_side(found.active) if found.active else NOTHING,
        Side(title=title, text=proposal.text, policy=found.checked.reading.policy, url=url),
        lambda: recent_history(org),
    )
