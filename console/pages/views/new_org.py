"""View of the form with which a person creates an organization."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.configs.services.start_org import start_org
from console.errors import BadRequest, Conflict, NotAllowed
from console.orgs.models import User
from console.orgs.org_creation import require_creating_orgs
from console.orgs.org_names import LONGEST_NAME
from console.orgs.org_slugs import LONGEST_SLUG
from console.pages import throttle
from console.pages.access import refusal, signed_in, signed_in_user
from console.pages.presenters.configs.drafts import first_texts

#: Maximum length of a field that is shown again after an error.
_LONGEST = 1_000


@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def new_org(request: HttpRequest) -> HttpResponse:
    """Show the form, or create the organization and go to the editor or its first steps."""
    user = signed_in_user(request)
    try:
        require_creating_orgs(user)
        if request.method != "POST":
            return _show(request, {}, {}, HTTPStatus.OK)
        return _create(request, user)
    except (NotAllowed, Conflict) as error:
        return refusal(request, error, None)


def _create(request: HttpRequest, user: User) -> HttpResponse:
    typed = {name: request.POST.get(name, "") for name in ("name", "slug", "start")}
    wait = throttle.admit_slug(user)
    if wait:
        unit = "second" if wait == 1 else "seconds"
        errors = {"slug": f"Too many attempts. Try again in {wait} {unit}."}
        response = _show(request, typed, errors, HTTPStatus.TOO_MANY_REQUESTS)
        response.headers["Retry-After"] = str(wait)
        return response
    try:
        started = start_org(user, typed["name"], typed["slug"], typed["start"])
    except BadRequest as error:
        errors = {each.path: each.message for each in error.errors}
        return _show(request, typed, errors, HTTPStatus.UNPROCESSABLE_ENTITY)
    throttle.subtract_slug(user)
    org = started.owner.org
    messages.success(request, f"The organization {org.name} is created, and you are its owner.")
    if started.draft is not None:
        return HttpResponseRedirect(
            reverse("pages:config-draft", args=[org.slug, started.draft.pk])
        )
    return HttpResponseRedirect(reverse("pages:overview", args=[org.slug]))


def _show(
    request: HttpRequest, typed: dict[str, str], errors: dict[str, str], status: int
) -> HttpResponse:
    context = {
        "typed": {name: text[:_LONGEST] for name, text in typed.items()},
        "errors": errors,
        "languages": first_texts(),
        "longest_name": LONGEST_NAME,
        "longest_slug": LONGEST_SLUG,
    }
    return render(request, "orgs/new.html", context, status=status)
