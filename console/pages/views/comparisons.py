"""Views that compare two config versions, or a draft with a version."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from console.configs.queries import get_draft
from console.configs.services.check_config import check_config
from console.errors import BadRequest, FieldError
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.presenters.configs.differences import Side, difference_of
from console.pages.presenters.configs.version_sides import NOTHING, version_side
from console.pages.shell import render_page
from console.policies.queries import active_version, get_version, versions
from console.workloads.queries.recent_history import recent_history

#: Number of newest versions that the form offers; older ones can be typed.
_OFFERED = 50


@org_page
@require_safe
def compare(request: HttpRequest, actor: Actor, old: int, new: int) -> HttpResponse:
    """Show the difference between two versions."""
    one, other = get_version(actor.org, old), get_version(actor.org, new)
    turned = reverse("pages:config-compare", args=[actor.org.slug, new, old])
    sides = version_side(one), version_side(other)
    return _page(request, actor, *sides, {"turned_url": turned})


@org_page
@require_safe
def choose(request: HttpRequest, actor: Actor) -> HttpResponse:
    """
    Redirect to the comparison of the chosen versions, or show the form.

    The parameters of the versions are ``a`` and ``b``. With ``draft``, the draft is compared with
    version ``a``, or with the active version.
    """
    draft = _number(request, "draft")
    if draft is not None:
        return _draft(request, actor, draft, _number(request, "a"))
    chosen: dict[str, int | None] = {}
    errors: dict[str, str] = {}
    for name in ("a", "b"):
        try:
            chosen[name] = _version(request, actor, name)
        except BadRequest as error:
            errors[name] = error.errors[0].message
    if errors or None in chosen.values():
        return _form(request, actor, errors)
    numbers = [chosen["a"], chosen["b"]]
    return HttpResponseRedirect(reverse("pages:config-compare", args=[actor.org.slug, *numbers]))


def _form(request: HttpRequest, actor: Actor, errors: dict[str, str]) -> HttpResponse:
    """Show the form with the versions of the address, or the two newest versions."""
    newest = list(versions(actor.org).defer("text")[:_OFFERED])
    usual = {"b": newest[:1], "a": newest[1:2] or newest[:1]}
    fields = [
        {
            "name": name,
            "label": label,
            "value": request.GET.get(name) or (f"v{usual[name][0].number}" if newest else ""),
            "error": errors.get(name, ""),
        }
        for name, label in (("a", "From version"), ("b", "To version"))
    ]
    context = {"fields": fields, "newest": newest}
    status = 400 if errors else 200
    return render_page(
        request, actor, "configs/choose.html", context, section="config", status=status
    )


def _version(request: HttpRequest, actor: Actor, name: str) -> int | None:
    """Return the version number in the parameter *name*, or None; raise BadRequest if unknown."""
    number = _number(request, name)
    if number is not None and not versions(actor.org).filter(number=number).exists():
        message = f"There is no version {number}."
        raise BadRequest([FieldError(name, "no_such_version", message)])
    return number


def _draft(request: HttpRequest, actor: Actor, number: int, base: int | None) -> HttpResponse:
    actor.require(Permission.DRAFT)
    draft = get_draft(actor.org, number)
    version = active_version(actor.org) if base is None else get_version(actor.org, base)
    with expensive(Kind.COMPARE, actor.org.pk, actor.key, size=len(draft.text)):
        new = Side(
            title=f"draft {draft.pk}",
            text=draft.text,
            policy=check_config(actor, draft.dialect, draft.text).policy,
        )
        old = version_side(version) if version is not None else NOTHING
        return _page(request, actor, old, new, {"draft": draft})


def _page(
    request: HttpRequest, actor: Actor, old: Side, new: Side, more: dict[str, object]
) -> HttpResponse:
    size = len(old.text) + len(new.text)
    with expensive(Kind.COMPARE, actor.org.pk, actor.key, size=size):
        difference = difference_of(
            request.path, request.GET, old, new, lambda: recent_history(actor.org)
        )
        context = {"difference": difference, **more}
        return render_page(request, actor, "configs/compare.html", context, section="config")


def _number(request: HttpRequest, name: str) -> int | None:
    text = request.GET.get(name, "").strip().removeprefix("v")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) <= 9):
        raise BadRequest([FieldError(name, "invalid_number", f"{text!r} is not a version.")])
    return int(text)
