"""Comparisons: any two versions of the config, or a draft and a version."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.configs.queries import active_version, get_draft, get_version
from console.configs.services.check_config import check_config
from console.errors import BadRequest, FieldError
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.presenters.differences import Difference, Side, difference_of
from console.pages.presenters.version_sides import NOTHING, version_side
from console.pages.shell import render_page
from console.workloads.queries.history import history_of


@require_safe
@org_page
def compare(request: HttpRequest, actor: Actor, old: int, new: int) -> HttpResponse:
    """Show what differs between two versions."""
    one, other = get_version(actor.org, old), get_version(actor.org, new)
    difference = _difference(request, actor, version_side(one), version_side(other))
    turned = reverse("pages:config-compare", args=[actor.org.slug, new, old])
    context = {"difference": difference, "turned_url": turned}
    return render_page(request, actor, "configs/compare.html", context, section="config")


@require_safe
@org_page
def choose(request: HttpRequest, actor: Actor) -> HttpResponse:
    """
    Show the two that a form chose.

    Versions are ``a`` and ``b``. With ``draft`` that draft is compared with version ``a``, or with
    the active one.
    """
    old, new, draft = (_number(request, name) for name in ("a", "b", "draft"))
    if draft is not None:
        return _draft(request, actor, draft, old)
    if old is None or new is None:
        raise BadRequest([FieldError("a", "required", "Two versions are needed: a and b.")])
    return HttpResponseRedirect(reverse("pages:config-compare", args=[actor.org.slug, old, new]))


def _draft(request: HttpRequest, actor: Actor, number: int, base: int | None) -> HttpResponse:
    actor.require(Permission.DRAFT)
    draft = get_draft(actor.org, number)
    version = active_version(actor.org) if base is None else get_version(actor.org, base)
    new = Side(
        title=f"draft {draft.pk}",
        text=draft.text,
        policy=check_config(actor, draft.dialect, draft.text).policy,
    )
    old = version_side(version) if version is not None else NOTHING
    context = {"difference": _difference(request, actor, old, new), "draft": draft}
    return render_page(request, actor, "configs/compare.html", context, section="config")


def _difference(request: HttpRequest, actor: Actor, old: Side, new: Side) -> Difference:
    return difference_of(request.path, request.GET, old, new, lambda: history_of(actor.org))


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "").strip().removeprefix("v")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise BadRequest([FieldError(name, "invalid_number", f"{text!r} is not a version.")])
    return int(text)
