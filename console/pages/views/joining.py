"""Views that accept an invitation, with an existing account or by choosing a password."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe

from console.errors import BadRequest, Conflict, FieldError, NotAllowed, NotFound
from console.orgs.backend import BACKEND
from console.orgs.models import Invitation, Membership, User
from console.orgs.people import invitation_by
from console.orgs.services.accept_invitation import CLOSED, accept_invitation, join_with_password
from console.orgs.token_secrets import digest_of
from console.pages import throttle
from console.pages.access import refusal
from console.pages.presenters.people.roles import role_choices
from console.pages.sign_in_methods import sign_in_methods

#: Session key of the digest of an opened invitation's secret.
_INVITATION = "invitation"
#: Session key of the e-mail address for the sign-in form.
INVITED = "invited"


@never_cache
@require_safe
def join(request: HttpRequest, secret: str) -> HttpResponse:
    """Store the invitation in the session, and redirect to an address without its secret."""
    wait = throttle.admit_link(request)
    if wait:
        return _too_many(request, wait)
    invitation = invitation_by(digest_of(secret))
    if invitation is None:
        return refusal(request, NotFound(CLOSED), None)
    throttle.subtract_link(request)
    request.session[_INVITATION] = invitation.digest
    request.session[INVITED] = invitation.email
    return HttpResponseRedirect(reverse("pages:invitation"))


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest) -> HttpResponse:
    """Show the invitation, or accept it."""
    digest = request.session.get(_INVITATION, "")
    found = invitation_by(digest) if digest else None
    if found is None:
        return refusal(request, NotFound(CLOSED), None)
    user = request.user if isinstance(request.user, User) else None
    errors: list[str] = []
    if request.method == "POST":
        try:
            if user is not None:
                return _accept(request, user, digest)
            if not settings.LOCAL_SIGN_IN:
                raise NotAllowed(f"Sign in with {settings.OIDC_TITLE} to join.")
            return _choose_password(request, digest)
        except (NotFound, NotAllowed, Conflict) as error:
            return refusal(request, error, None)
        except BadRequest as error:
            errors = [each.message for each in error.errors]
    return _show(request, found, user, errors)


def _show(
    request: HttpRequest, found: Invitation, user: User | None, errors: list[str]
) -> HttpResponse:
    choice = next(each for each in role_choices(found.role) if each.is_chosen)
    context = {
        "invitation": found,
        "may": choice.may,
        "user_email": user.email if user else "",
        "is_theirs": user is not None and user.email.casefold() == found.email.casefold(),
        "errors": errors,
        "sign_in_url": _sign_in_url(),
        "methods": sign_in_methods(reverse("pages:invitation")),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if errors else HTTPStatus.OK
    return render(request, "sessions/join.html", context, status=status)


def _accept(request: HttpRequest, user: User, digest: str) -> HttpResponse:
    return _joined(request, accept_invitation(user, digest))


def _joined(request: HttpRequest, membership: Membership) -> HttpResponse:
    for name in (_INVITATION, INVITED):
        request.session.pop(name, None)
    messages.success(request, f"You are now {membership.role} of {membership.org.name}.")
    return HttpResponseRedirect(reverse("pages:overview", args=[membership.org.slug]))


def _choose_password(request: HttpRequest, digest: str) -> HttpResponse:
    # Each attempt computes an expensive password hash.
    wait = throttle.admit_link(request)
    if wait:
        return _too_many(request, wait)
    password = request.POST.get("password", "")
    if password != request.POST.get("again", ""):
        message = "The passwords do not match."
        raise BadRequest([FieldError("again", "not_the_same", message)], message)
    membership = join_with_password(digest, password)
    login(request, membership.user, backend=BACKEND)
    return _joined(request, membership)


def waiting_invitation(request: HttpRequest, user: User) -> Invitation | None:
    """Return the invitation opened in this browser if it is open and for *user*, else None."""
    digest = request.session.get(_INVITATION, "")
    found = invitation_by(digest) if digest else None
    is_theirs = found is not None and found.email.casefold() == user.email.casefold()
    return found if is_theirs else None


def _sign_in_url() -> str:
    return f"{reverse('pages:sign-in')}?{urlencode({'next': reverse('pages:invitation')})}"


def _too_many(request: HttpRequest, wait: int) -> HttpResponse:
    response = render(
        request, "sessions/wait.html", {"wait": wait}, status=HTTPStatus.TOO_MANY_REQUESTS
    )
    response.headers["Retry-After"] = str(wait)
    return response
