"""Views of the API reference. It is public, like the OpenAPI document that it shows."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from console.orgs.queries import orgs_of
from console.pages.access import signed_in_user
from console.pages.presenters.api_reference import groups, operations, problem_fields

#: Maximum length of the search text, in characters.
_LONGEST = 200

#: The pages show the address of the signed-in user.
_PRIVATE = cache_control(private=True, no_store=True)


@require_safe
@_PRIVATE
def api_reference(request: HttpRequest) -> HttpResponse:
    """List the operations by group, or those that contain a text."""
    part = request.GET.get("q", "").strip()[:_LONGEST].replace("\0", "")
    context = {"groups": groups(part), "part": part, "problem_fields": problem_fields()}
    return render(request, "api_reference/index.html", context)


@require_safe
@_PRIVATE
def api_operation(request: HttpRequest, name: str) -> HttpResponse:
    """Describe one operation, with a form that sends it as the signed-in user."""
    operation = operations().get(name)
    if operation is None:
        raise Http404
    alike = [each for each in operations().values() if each.group == operation.group]
    context = {
        "operation": operation,
        "alike": alike,
        "org": _org_of(request),
        "host": request.build_absolute_uri("/").rstrip("/"),
    }
    return render(request, "api_reference/operation.html", context)


def _org_of(request: HttpRequest) -> str:
    """Return the name in addresses of the user's first organization, or nothing."""
    if not request.user.is_authenticated:
        return ""
    first = orgs_of(signed_in_user(request)).first()
    return "" if first is None else first.slug
