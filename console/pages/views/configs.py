"""Config versions: the active one, any other, the history, and two compared."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.configs.models import ConfigVersion
from console.configs.queries import (
    NO_POLICY,
    active_number,
    active_version,
    get_version,
    latest_draft,
    policy_of,
    versions,
)
from console.configs.services.check_config import check_config
from console.errors import BadRequest, FieldError
from console.orgs.permissions import Actor
from console.pages.access import org_page, signed_in_user
from console.pages.presenters.changes import change_lines, diff_lines, summary_of
from console.pages.presenters.lists import Pager, with_query
from console.pages.presenters.source import source_lines
from console.pages.shell import render_page

#: Versions on one page of the history.
PAGE_SIZE = 20
#: Characters up to which the history says what a version changed: longer texts take too long
#: to read for a whole page of them, and comparing two versions says it.
SUMMARIZED = 60_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """One version and what it changed."""

    version: ConfigVersion
    summary: str
    is_active: bool


@require_safe
@org_page
def active(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the active version, or what to do when there is none."""
    version = active_version(actor.org)
    if version is None:
        return render_page(request, actor, "configs/none.html", {}, section="config")
    return _show(request, actor, version)


@require_safe
@org_page
def version(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Show one version, whatever is active."""
    return _show(request, actor, get_version(actor.org, number))


@require_safe
@org_page
def history(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List versions, newest first, each with what it changed."""
    rows = versions(actor.org)
    before = _number(request, "before")
    if before is not None:
        rows = rows.filter(number__lt=before)
    found = list(rows[: PAGE_SIZE + 1])
    now_active = active_number(actor.org)
    pager = Pager(
        first_url=with_query(request.path, request.GET, before=None) if before is not None else "",
        next_url=with_query(request.path, request.GET, before=str(found[PAGE_SIZE - 1].number))
        if len(found) > PAGE_SIZE
        else "",
    )
    context = {
        "rows": [
            HistoryRow(
                version=row,
                summary=_summary(found[i + 1] if i + 1 < len(found) else None, row),
                is_active=row.number == now_active,
            )
            for i, row in enumerate(found[:PAGE_SIZE])
        ],
        "pager": pager,
    }
    return render_page(request, actor, "configs/history.html", context, section="config")


@require_safe
@org_page
def compare(
    request: HttpRequest, actor: Actor, old: int | None = None, new: int | None = None
) -> HttpResponse:
    """Show what differs between two versions; a form gives them as ``a`` and ``b``."""
    if old is None or new is None:
        old, new = _number(request, "a"), _number(request, "b")
        if old is None or new is None:
            raise BadRequest([FieldError("a", "required", "Two versions are needed: a and b.")])
        url = reverse("pages:config-compare", args=[actor.org.slug, old, new])
        return HttpResponseRedirect(url)
    one, other = get_version(actor.org, old), get_version(actor.org, new)
    context = {
        "old": one,
        "new": other,
        "changes": change_lines(policy_of(one), policy_of(other)),
        "rows": diff_lines(one.text, other.text),
    }
    return render_page(request, actor, "configs/compare.html", context, section="config")


def _show(request: HttpRequest, actor: Actor, shown: ConfigVersion) -> HttpResponse:
    reading = check_config(actor, shown.dialect, shown.text)
    policy = policy_of(shown)
    now_active = active_number(actor.org)
    context = {
        "version": shown,
        "is_active": shown.number == now_active,
        "active_number": now_active,
        "just_applied": "applied" in request.GET,
        "lines": source_lines(shown.text),
        "diagnostics": reading.diagnostics,
        "draft": latest_draft(actor.org, signed_in_user(request)),
        "queues": len(policy.queues),
        "flavors": len(policy.flavors),
        "rules": len(policy.rules),
    }
    return render_page(request, actor, "configs/version.html", context, section="config")


def _summary(before: ConfigVersion | None, after: ConfigVersion) -> str:
    if len(after.text) > SUMMARIZED or (before and len(before.text) > SUMMARIZED):
        return ""
    old = policy_of(before) if before else NO_POLICY
    return summary_of(change_lines(old, policy_of(after)))


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "").strip().removeprefix("v")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise BadRequest([FieldError(name, "invalid_number", f"{text!r} is not a version.")])
    return int(text)
