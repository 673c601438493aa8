"""Views of an organization's API tokens: owners list, create, rotate and revoke tokens."""

from __future__ import annotations

import secrets
from datetime import datetime, timedelta
from http import HTTPStatus

from django.contrib import messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from console.errors import BadRequest, Conflict, FieldError
from console.orgs.identities import Identity, groups_in
from console.orgs.models import Role
from console.orgs.permissions import Actor, Permission
from console.orgs.services.issue_token import create_token
from console.orgs.services.revoke_token import revoke_token
from console.orgs.services.rotate_token import rotate_token
from console.orgs.token_secrets import Issued
from console.orgs.tokens import get_token, list_tokens
from console.pages.access import org_page
from console.pages.presenters.lists.addresses import PAGE_SIZE, pager_of
from console.pages.presenters.people.api_tokens import (
    LIFETIMES,
    OVERLAPS,
    USUAL_LIFETIME,
    USUAL_OVERLAP,
    token_row,
    token_rows,
)
from console.pages.presenters.people.roles import role_choices
from console.pages.presenters.people.token_abilities import abilities_of
from console.pages.shell import render_page

#: Seconds for which a repeated submission of the same form is recognized.
_FORM_MEMORY = 24 * 3600


@org_page
@require_safe
def api_tokens(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List the valid tokens, or the expired and revoked ones."""
    actor.require(Permission.MANAGE_ORG)
    ended = request.GET.get("state") == "ended"
    page = list_tokens(actor.org, ended=ended, limit=PAGE_SIZE, cursor=request.GET.get("cursor"))
    context = {
        "rows": token_rows(actor.org.slug, page.results),
        "ended": ended,
        "pager": pager_of(request.path, request.GET, page),
    }
    return render_page(request, actor, "settings/tokens.html", context, section="settings")


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def new_token(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the form for a new token; on submission, create the token and show its secret once."""
    actor.require(Permission.MANAGE_ORG)
    typed = {
        "name": request.POST.get("name", "").strip(),
        "role": request.POST.get("role", Role.VIEWER),
        "user": request.POST.get("user", "").strip(),
        "groups": request.POST.get("groups", ""),
        "days": request.POST.get("days", USUAL_LIFETIME),
    }
    errors: dict[str, str] = {}
    if request.method == "POST":
        try:
            ends = _ends(typed["days"])
            if not _is_first(request, actor):
                return _already_created(request, actor)
            identity = Identity(typed["user"], tuple(groups_in(typed["groups"])))
            return _secret_page(
                request, actor, create_token(actor, typed["role"], typed["name"], ends, identity)
            )
        except BadRequest as error:
            errors = {each.path.partition("[")[0]: each.message for each in error.errors}
        except Conflict as error:
            errors = {"name": error.message}
    context = {
        "typed": typed,
        "errors": errors,
        "choices": role_choices(typed["role"]),
        "lifetimes": LIFETIMES,
        "form_id": secrets.token_urlsafe(16),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if errors else HTTPStatus.OK
    return render_page(
        request, actor, "settings/token_new.html", context, section="settings", status=status
    )


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def api_token(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Show one token; rotate or revoke it."""
    actor.require(Permission.MANAGE_ORG)
    token = get_token(actor.org, number)
    error = ""
    if request.method == "POST":
        try:
            return _end(request, actor, number)
        except Conflict as conflict:
            error = conflict.message
    context = {
        "row": token_row(actor.org.slug, token),
        "abilities": abilities_of(token),
        "successor": token_row(actor.org.slug, token.successor) if token.successor else None,
        "overlaps": OVERLAPS,
        "usual_overlap": USUAL_OVERLAP,
        "form_id": secrets.token_urlsafe(16),
        "error": error,
    }
    status = HTTPStatus.CONFLICT if error else HTTPStatus.OK
    return render_page(
        request, actor, "settings/token.html", context, section="settings", status=status
    )


def _end(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    match request.POST.get("do"):
        case "revoke":
            token = revoke_token(actor, number)
            messages.success(request, f"{token.name} is revoked.")
        case "rotate":
            hours = request.POST.get("hours", USUAL_OVERLAP)
            if hours not in dict(OVERLAPS):
                raise BadRequest([], "Choose one of the listed times.")
            if not _is_first(request, actor):
                return _already_created(request, actor)
            issued = rotate_token(actor, number, timedelta(hours=int(hours)))
            return _secret_page(request, actor, issued)
        case _:
            raise BadRequest([], "Unknown action.")
    return HttpResponseRedirect(reverse("pages:api-tokens", args=[actor.org.slug]))


def _ends(days: str) -> datetime | None:
    if days not in dict(LIFETIMES):
        message = "Choose one of the listed times."
        raise BadRequest([FieldError("days", "invalid_choice", message)], message)
    return timezone.now() + timedelta(days=int(days)) if days else None


def _is_first(request: HttpRequest, actor: Actor) -> bool:
    """Return whether this form is sent for the first time, and not by a reload or going back."""
    form = request.POST.get("form", "")[:50]
    return not form or bool(cache.add(f"token-form:{actor.key}:{form}", 1, _FORM_MEMORY))


def _secret_page(request: HttpRequest, actor: Actor, issued: Issued) -> HttpResponse:
    # The response itself contains the secret: after a redirect it could not be shown, because it
    # is not stored.
    context = {"token": issued.token, "secret": issued.secret}
    return render_page(request, actor, "settings/token_secret.html", context, section="settings")


def _already_created(request: HttpRequest, actor: Actor) -> HttpResponse:
    messages.info(
        request,
        "This token is already created, and its secret was shown once. If the secret is lost, "
        "rotate or revoke the token.",
    )
    return HttpResponseRedirect(reverse("pages:api-tokens", args=[actor.org.slug]))
