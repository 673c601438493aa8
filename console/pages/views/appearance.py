"""View of the appearance settings: of the browser, and the formats of the account."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from console.errors import BadRequest
from console.orgs.permissions import Actor
from console.orgs.services.set_formats import set_formats
from console.pages.access import org_page, signed_in_user
from console.pages.appearance import CHOICES, selected_value, store_value
from console.pages.formats_form import form_of
from console.pages.shell import render_page


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def appearance(request: HttpRequest, actor: Actor) -> HttpResponse:
    """
    Show the settings, or store the posted ones; the next page uses them at once.

    Formats in the address are shown with their example and not stored.
    """
    if request.method != "POST":
        return _page(request, actor, request.GET)
    if request.POST.get("do") == "formats":
        return _store_formats(request, actor)
    response = HttpResponseRedirect(request.path)
    for choice in CHOICES:
        store_value(response, choice, request.POST.get(choice.name, ""))
    messages.success(request, "Saved for this browser.")
    return response


def _store_formats(request: HttpRequest, actor: Actor) -> HttpResponse:
    try:
        set_formats(signed_in_user(request), request.POST.dict())
    except BadRequest:
        return _page(request, actor, request.POST, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    messages.success(request, "Saved for your account.")
    return HttpResponseRedirect(request.path)


def _page(
    request: HttpRequest, actor: Actor, typed: QueryDict, status: int = HTTPStatus.OK
) -> HttpResponse:
    context = {
        "choices": [(choice, selected_value(request, choice)) for choice in CHOICES],
        "formats": form_of(signed_in_user(request), typed, timezone.now()),
    }
    return render_page(
        request, actor, "settings/appearance.html", context, section="settings", status=status
    )
