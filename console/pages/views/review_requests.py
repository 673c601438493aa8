"""Views of review requests: the list, one request with its changes and comments, the setting."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.middleware.csrf import get_token
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.configs.models import ReviewRequest
from console.configs.queries import comments_of, get_review, list_reviews, proposed_end
from console.configs.services.decide_review import decide_review
from console.configs.services.request_review import submit_draft
from console.configs.services.withdraw_review import withdraw_review
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor, Permission
from console.orgs.services.set_approval import set_approval
from console.pages.access import org_page
from console.pages.draft_address import read_number
from console.pages.presenters.configs.differences import row_pager, start_of
from console.pages.presenters.configs.review_requests import (
    LineForm,
    by_line,
    comment_rows,
    commented,
    shown_lines,
    state_glyph,
)
from console.pages.presenters.configs.schedule import scheduled_row
from console.pages.presenters.configs.text_diff import diff_page
from console.pages.presenters.configs.unfolded import unfolded_of
from console.pages.presenters.lists.addresses import PAGE_SIZE, pager_of, with_query
from console.pages.shell import render_page
from console.policies.queries import active_number, get_version


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def requests(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List the review requests of the organization; submit a draft."""
    if request.method == "POST":
        number = read_number(request.POST.get("draft", ""), "draft")
        revision = read_number(request.POST.get("revision", ""), "revision")
        return to_request(actor, submit_draft(actor, number, revision))
    page = list_reviews(actor.org, PAGE_SIZE, request.GET.get("cursor"))
    context = {
        "reviews": [(each, state_glyph(each)) for each in page.results],
        "pager": pager_of(request.path, request.GET, page),
        "active_number": active_number(actor.org),
    }
    return render_page(request, actor, "configs/review_requests.html", context, section="config")


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def one(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Show a review request; comment, decide or withdraw it."""
    if request.method == "POST":
        return _act(request, actor, number)
    review = get_review(actor.org, number)
    before = get_version(actor.org, review.base).text if review.base else ""
    comments = comments_of(review)
    on_lines = by_line(comments)
    line = _line_of(request, review) if actor.may(Permission.DRAFT) else None
    unfolded = unfolded_of(request.path, request.GET, shown_lines(on_lines, line))
    with expensive(Kind.COMPARE, actor.org.pk, actor.key, size=len(before) + len(review.text)):
        start = start_of(request.GET)
        rows, total = diff_page(before, review.text, start, unfolded=unfolded)
    address = partial(_comment_url, request) if actor.may(Permission.DRAFT) else None
    is_editor = actor.person_key in review.editors
    active, end = active_number(actor.org), proposed_end(review)
    is_waiting = review.state == ReviewRequest.State.WAITING
    is_approved = review.state == ReviewRequest.State.APPROVED
    decides = actor.may(Permission.APPROVE) and not is_editor
    context = {
        "review": review,
        "glyph": state_glyph(review),
        "rows": commented(rows, on_lines, address),
        "pager": row_pager(request.path, request.GET, start, total),
        "line_form": _line_form(request, line) if line else None,
        "comments": comment_rows(review, comments, {row.new for row in rows}),
        "active_number": active,
        "is_current": review.base == active,
        "is_editor": is_editor,
        "proposed_end": scheduled_row(actor.org.slug, end) if end else None,
        "may_approve": decides and is_waiting and review.base == active,
        "may_request_changes": decides and (is_waiting or is_approved),
        "may_withdraw": (is_waiting or is_approved) and (is_editor or actor.may(Permission.APPLY)),
        "may_apply": is_approved and review.base == active and actor.may(Permission.APPLY),
    }
    return render_page(request, actor, "configs/review_request.html", context, section="config")


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def approval(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show whether config changes need approval; owners change it."""
    if request.method == "POST":
        set_approval(actor, required=request.POST.get("required") == "on")
        messages.success(request, "Saved.")
        return HttpResponseRedirect(request.path)
    return render_page(request, actor, "settings/approval.html", {}, section="settings")


def to_request(actor: Actor, review: ReviewRequest) -> HttpResponse:
    """Redirect to the page of *review*."""
    url = reverse("pages:config-request", args=[actor.org.slug, review.pk])
    return HttpResponseRedirect(url)


def _comment_url(request: HttpRequest, line: int) -> str:
    return f"{with_query(request.path, request.GET, line=str(line))}#line-form"


def _line_form(request: HttpRequest, line: int) -> LineForm:
    return LineForm(
        line=line,
        path=request.path,
        cancel_url=f"{with_query(request.path, request.GET, line=None)}#L{line}",
        csrf_token=get_token(request),
    )


def _line_of(request: HttpRequest, review: ReviewRequest) -> int | None:
    """Return the line of the text that the reader comments on; None if there is no such line."""
    text = request.GET.get("line", "")
    line = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    return line if 1 <= line <= len(review.text.splitlines()) else None


def _act(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    sent = request.POST
    if sent.get("do") == "withdraw":
        return to_request(actor, withdraw_review(actor, number))
    line = sent.get("line", "").strip()
    at = read_number(line, "line") if line else None
    return to_request(
        actor, decide_review(actor, number, sent.get("do", ""), sent.get("text", ""), at)
    )
