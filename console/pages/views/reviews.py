"""Review and apply: what a draft or an old version would change, and the way out of a conflict."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.configs.models import ConfigVersion, Draft
from console.configs.queries import (
    NO_POLICY,
    active_version,
    get_draft,
    get_version,
    latest_draft,
    policy_of,
    versions_after,
)
from console.configs.services.apply_config import apply_config
from console.configs.services.check_config import check_config
from console.configs.services.discard_draft import discard_draft
from console.configs.services.roll_back import roll_back
from console.configs.services.save_draft import save_draft
from console.dialects.base import Reading
from console.errors import BadRequest, ConfigRejected, FieldError, StaleVersion
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page, signed_in_user
from console.pages.presenters.changes import change_lines, diff_lines
from console.pages.presenters.merge import Merge, merge_texts
from console.pages.shell import render_page


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A text that may become the next version: a draft, or an old version to roll back to."""

    dialect: str
    text: str
    base: int
    draft: Draft | None = None
    target: ConfigVersion | None = None


@require_http_methods(["GET", "HEAD", "POST"])
@org_page
def review(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show what the proposal changes against the active version, and apply it."""
    actor.require(Permission.DRAFT)
    proposal = _proposal(request, actor)
    if proposal is None:
        return HttpResponseRedirect(reverse("pages:config-edit", args=[actor.org.slug]))
    active = active_version(actor.org)
    reading = check_config(actor, proposal.dialect, proposal.text)
    if request.method == "POST":
        return _apply(request, actor, proposal, active, reading)
    if proposal.draft and proposal.base != (active.number if active else 0):
        url = reverse("pages:config-conflict", args=[actor.org.slug])
        return HttpResponseRedirect(f"{url}?draft={proposal.draft.pk}")
    return _page(request, actor, proposal, active, reading)


@require_http_methods(["GET", "HEAD", "POST"])
@org_page
def conflict(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show what was applied since the draft was begun, and carry the draft over to it."""
    actor.require(Permission.DRAFT)
    draft = _draft(request, actor)
    active = active_version(actor.org)
    if draft is None or active is None or draft.base == active.number:
        return HttpResponseRedirect(reverse("pages:config-edit", args=[actor.org.slug]))
    if request.method != "POST":
        return _conflict_page(request, actor, draft, active, status=200)
    text: str | None = draft.text
    url = reverse("pages:config-draft", args=[actor.org.slug, draft.pk])
    if request.POST.get("do") == "merge":
        text = _merge(actor, draft, active).text
        url = f"{reverse('pages:config-review', args=[actor.org.slug])}?draft={draft.pk}"
    if text is None:
        # One more apply since the page was opened: what fitted together no longer does.
        return _conflict_page(request, actor, draft, active, status=409)
    save_draft(actor, draft.pk, draft.dialect, text, active.number, draft.revision + 1)
    messages.success(request, f"Your draft is now based on version {active.number}.")
    return HttpResponseRedirect(url)


def _proposal(request: HttpRequest, actor: Actor) -> Proposal | None:
    target = request.POST.get("to") or request.GET.get("to", "")
    if target:
        if not (target.isascii() and target.isdigit() and len(target) < 10):
            raise BadRequest([FieldError("to", "invalid_number", f"{target!r} is no version.")])
        old = get_version(actor.org, int(target))
        return Proposal(dialect=old.dialect, text=old.text, base=old.number, target=old)
    draft = _draft(request, actor)
    if draft is None:
        return None
    return Proposal(dialect=draft.dialect, text=draft.text, base=draft.base, draft=draft)


def _draft(request: HttpRequest, actor: Actor) -> Draft | None:
    """Return the draft that the address or the form names, else the person's latest."""
    number = request.POST.get("draft") or request.GET.get("draft", "")
    if not number:
        return latest_draft(actor.org, signed_in_user(request))
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        raise BadRequest([FieldError("draft", "invalid_number", f"{number!r} is no draft.")])
    return get_draft(actor.org, int(number))


def _apply(
    request: HttpRequest,
    actor: Actor,
    proposal: Proposal,
    active: ConfigVersion | None,
    reading: Reading,
) -> HttpResponse:
    message = request.POST.get("message", "")
    expected = request.POST.get("expected_version", "")
    if not (expected.isascii() and expected.isdigit() and len(expected) < 10):
        raise BadRequest([FieldError("expected_version", "required", "The base is missing.")])
    if proposal.draft and request.POST.get("revision") != str(proposal.draft.revision):
        notice = "The draft was saved again after you opened this review. This is its present text."
        return _page(
            request, actor, proposal, active, reading, notice=notice, message=message, status=409
        )
    try:
        if proposal.target:
            made = roll_back(actor, proposal.target.number, int(expected), message)
        else:
            made = apply_config(actor, proposal.dialect, proposal.text, message, int(expected))
    except ConfigRejected as error:
        return _page(request, actor, proposal, active, error.reading, message=message, status=422)
    except BadRequest as error:
        notice = " ".join(finding.message for finding in error.errors)
        return _page(
            request, actor, proposal, active, reading, notice=notice, message=message, status=422
        )
    except StaleVersion as error:
        now_active = active_version(actor.org)
        if proposal.draft and now_active:
            return _conflict_page(request, actor, proposal.draft, now_active, status=409)
        return _page(
            request,
            actor,
            proposal,
            now_active,
            reading,
            notice=f"{error.message} This is the change against it.",
            message=message,
            status=409,
        )
    if proposal.draft:
        discard_draft(actor, proposal.draft.pk, proposal.draft.revision)
    url = reverse("pages:config-version", args=[actor.org.slug, made.number])
    return HttpResponseRedirect(f"{url}?applied=1")


def _page(
    request: HttpRequest,
    actor: Actor,
    proposal: Proposal,
    active: ConfigVersion | None,
    reading: Reading,
    *,
    notice: str = "",
    message: str = "",
    status: int = 200,
) -> HttpResponse:
    before = policy_of(active) if active else NO_POLICY
    number = active.number if active else 0
    context = {
        "proposal": proposal,
        "base": number,
        "next": number + 1,
        "reading": reading,
        "changes": change_lines(before, reading.policy) if reading.policy else (),
        "rows": diff_lines(active.text if active else "", proposal.text),
        "warnings": [item for item in reading.diagnostics if item not in reading.errors],
        "notice": notice,
        "message": message
        or (f"Roll back to version {proposal.target.number}" if proposal.target else ""),
    }
    return render_page(
        request, actor, "configs/review.html", context, section="config", status=status
    )


def _conflict_page(
    request: HttpRequest, actor: Actor, draft: Draft, active: ConfigVersion, *, status: int
) -> HttpResponse:
    base = _base_text(actor, draft)
    context = {
        "draft": draft,
        "active": active,
        "newer": versions_after(actor.org, draft.base),
        "theirs": diff_lines(base, active.text),
        "yours": diff_lines(base, draft.text),
        "merge": _merge(actor, draft, active),
    }
    return render_page(
        request, actor, "configs/conflict.html", context, section="config", status=status
    )


def _merge(actor: Actor, draft: Draft, active: ConfigVersion) -> Merge:
    return merge_texts(_base_text(actor, draft), active.text, draft.text)


def _base_text(actor: Actor, draft: Draft) -> str:
    return get_version(actor.org, draft.base).text if draft.base else ""
