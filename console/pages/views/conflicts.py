"""View of a conflict: a draft whose base is not the active version is merged or rebased."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.configs.models import ConfigVersion, Draft
from console.configs.queries import versions_after
from console.configs.services.merge_draft import Resolution, merge_draft, merge_of
from console.configs.services.rebase_draft import rebase_draft
from console.dialects.merging import Choice, Verdict
from console.dialects.objects import vocabulary_of
from console.errors import BadRequest, Conflict
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.draft_address import draft_of_request
from console.pages.presenters.configs.conflict import automatic_merges, conflict_rows, renames
from console.pages.presenters.configs.text_diff import diff_lines
from console.pages.shell import render_page
from console.policies.queries import active_version, get_version

#: Maximum number of conflicts that the form resolves; more have to be resolved in the editor.
_MOST = 1000


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def conflict(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show both changes and their merge; merge or rebase the draft on submission."""
    actor.require(Permission.DRAFT)
    draft, active = draft_of_request(request, actor), active_version(actor.org)
    if draft is None:
        return HttpResponseRedirect(reverse("pages:config-edit", args=[actor.org.slug]))
    if active is None or draft.base == active.number:
        return HttpResponseRedirect(_url("config-draft", actor, draft))
    with expensive(Kind.COMPARE, actor.org.pk, actor.key, size=len(draft.text)):
        return _decide(request, actor, draft, active)


def _decide(
    request: HttpRequest, actor: Actor, draft: Draft, active: ConfigVersion
) -> HttpResponse:
    if request.method != "POST":
        return conflict_page(request, actor, draft, active)
    if not _is_current(request, draft, active):
        notice = "The draft or the active version changed after you opened this page."
        return conflict_page(request, actor, draft, active, notice=notice, status=409)
    if request.POST.get("do") == "mine":
        try:
            rebase_draft(actor, draft.pk, draft.revision, active.number)
        except Conflict as error:
            return _conflict_page_after(request, actor, draft, active, error)
        messages.success(request, f"Your draft is now based on version {active.number}.")
        return HttpResponseRedirect(_url("config-draft", actor, draft))
    return _merge(request, actor, draft, active)


def conflict_page(
    request: HttpRequest,
    actor: Actor,
    draft: Draft,
    active: ConfigVersion,
    *,
    notice: str = "",
    resolutions: Sequence[Resolution | None] = (),
    was_sent: bool = False,
    status: int = 200,
) -> HttpResponse:
    """Return the page about *draft*; *active* was applied after the draft was begun."""
    base = get_version(actor.org, draft.base).text if draft.base else ""
    merge = merge_of(draft, active)
    vocabulary = vocabulary_of(draft.dialect)
    context = {
        "draft": draft,
        "active": active,
        "newer": versions_after(actor.org, draft.base),
        "theirs": diff_lines(base, active.text),
        "yours": diff_lines(base, draft.text),
        "notice": notice,
        "was_sent": was_sent,
        "verdict": merge.verdict.value if merge else "",
        "conflicts": conflict_rows(
            merge, vocabulary, draft.base, active.number, resolutions, was_sent=was_sent
        )
        if merge
        else (),
        "automatic_merges": automatic_merges(merge, vocabulary) if merge else (),
        "renames": renames(merge, vocabulary, active.number) if merge else (),
    }
    return render_page(
        request, actor, "configs/conflict.html", context, section="config", status=status
    )


def _merge(request: HttpRequest, actor: Actor, draft: Draft, active: ConfigVersion) -> HttpResponse:
    resolutions = _resolutions(request)
    if any(one is None for one in resolutions):
        return conflict_page(
            request, actor, draft, active, resolutions=resolutions, was_sent=True, status=422
        )
    try:
        _, verdict = merge_draft(
            actor,
            draft.pk,
            draft.revision,
            active.number,
            [one for one in resolutions if one is not None],
        )
    except BadRequest:
        return conflict_page(
            request, actor, draft, active, resolutions=resolutions, was_sent=True, status=422
        )
    except Conflict as error:
        return _conflict_page_after(request, actor, draft, active, error)
    if verdict is Verdict.BROKEN:
        messages.warning(
            request,
            f"Both changes are in the draft, on version {active.number}. "
            "The merged text has errors; see the problems below.",
        )
        return HttpResponseRedirect(_url("config-draft", actor, draft))
    messages.success(request, f"Both changes are in the draft, on version {active.number}.")
    review = reverse("pages:config-review", args=[actor.org.slug])
    return HttpResponseRedirect(f"{review}?draft={draft.pk}")


def _conflict_page_after(
    request: HttpRequest, actor: Actor, draft: Draft, active: ConfigVersion, error: Conflict
) -> HttpResponse:
    """Return the page with the current active version and the message of *error*."""
    now_active = active_version(actor.org) or active
    return conflict_page(request, actor, draft, now_active, notice=error.message, status=409)


def _is_current(request: HttpRequest, draft: Draft, active: ConfigVersion) -> bool:
    seen = request.POST.get("revision"), request.POST.get("onto")
    return seen == (str(draft.revision), str(active.number))


def _resolutions(request: HttpRequest) -> list[Resolution | None]:
    """Return the sent resolutions in the order of the conflicts; None for unresolved ones."""
    count = request.POST.get("conflicts", "0")
    number = int(count) if count.isascii() and count.isdigit() and len(count) < 5 else 0
    return [_resolution(request, place) for place in range(min(number, _MOST))]


def _resolution(request: HttpRequest, place: int) -> Resolution | None:
    choice = request.POST.get(f"choice-{place}", "")
    if choice == "edited":
        return Resolution(None, request.POST.get(f"text-{place}", "").replace("\r\n", "\n"))
    return Resolution(Choice(choice)) if choice in set(Choice) else None


def _url(name: str, actor: Actor, draft: Draft) -> str:
    return reverse(f"pages:{name}", args=[actor.org.slug, draft.pk])
