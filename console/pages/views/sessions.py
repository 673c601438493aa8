"""Views for signing in and out, the password, the user's sessions, and the theme."""

from __future__ import annotations

from http import HTTPStatus

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from console.errors import NotAllowed, NotFound
from console.orgs.audit import record_person
from console.orgs.people import sessions_of
from console.orgs.services.end_sessions import end_other_sessions, end_session
from console.orgs.token_secrets import digest_of
from console.pages import throttle
from console.pages.access import refusal, safe_return_url, signed_in, signed_in_user
from console.pages.appearance import THEME, store_value
from console.pages.password_form import OwnPasswordForm
from console.pages.presenters.people.browsers import browser_name
from console.pages.sign_in_methods import sign_in_methods
from console.pages.views.joining import INVITED, waiting_invitation
from console.reading import is_storable

#: Maximum number of listed sessions, last seen first.
_MOST_SESSIONS = 100


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Show the sign-in form, or sign in and redirect to the previous page."""
    next_url = request.POST.get("next", request.GET.get("next", ""))
    if request.method != "POST":
        if request.user.is_authenticated:
            return HttpResponseRedirect(safe_return_url(request, next_url))
        context = {
            "next": next_url,
            "email": request.session.get(INVITED, ""),
            "methods": sign_in_methods(next_url),
        }
        return render(request, "sessions/sign_in.html", context)
    if not settings.LOCAL_SIGN_IN:
        return refusal(request, _no_passwords(), None)
    email = request.POST.get("email", "").strip()
    wait = throttle.admit_password(request, email)
    if wait:
        error = f"Too many wrong passwords. Try again in {wait} second{'s' if wait != 1 else ''}."
        status = HTTPStatus.TOO_MANY_REQUESTS
    else:
        user = None
        # The database cannot be queried for unstorable text.
        if is_storable(email):
            user = authenticate(request, username=email, password=request.POST.get("password", ""))
        if user is not None:
            throttle.reset_account(request, email)
            login(request, user)
            if not next_url and waiting_invitation(request, user) is not None:
                next_url = reverse("pages:invitation")
            return HttpResponseRedirect(safe_return_url(request, next_url))
        error = "That e-mail address and password do not match an account. Check both."
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {
        "next": next_url,
        "email": email,
        "error": error,
        "methods": sign_in_methods(next_url),
    }
    response = render(request, "sessions/sign_in.html", context, status=status)
    if wait:
        response.headers["Retry-After"] = str(wait)
    return response


@require_POST
def sign_out(request: HttpRequest) -> HttpResponse:
    """End the session."""
    logout(request)
    return HttpResponseRedirect(reverse("pages:sign-in"))


@never_cache
@sensitive_post_parameters()
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def password(request: HttpRequest) -> HttpResponse:
    """Change the user's password; this session stays valid, the others end."""
    if not settings.LOCAL_SIGN_IN:
        return refusal(request, _no_passwords(), None)
    user = signed_in_user(request)
    # Guessing in an unattended signed-in browser has the same rate limit as at sign-in.
    wait = throttle.admit_password(request, user.email) if request.method == "POST" else 0
    form = OwnPasswordForm(user, None if wait else request.POST or None)
    is_valid = request.method == "POST" and form.is_valid()
    if form.knows_password:
        throttle.reset_account(request, user.email)
    if is_valid:
        form.save()
        update_session_auth_hash(request, user)
        record_person(user, "account.password")
        end_other_sessions(user, request.session.session_key)
        messages.success(request, "Your password is changed. Other browsers are signed out.")
        return HttpResponseRedirect(reverse("pages:orgs"))
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    if wait:
        status = HTTPStatus.TOO_MANY_REQUESTS
    return render(request, "sessions/password.html", {"form": form, "wait": wait}, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def own_sessions(request: HttpRequest) -> HttpResponse:
    """List the user's sessions; end one of them, or all others."""
    user = signed_in_user(request)
    key = request.session.session_key or ""
    if request.method == "POST":
        try:
            if request.POST.get("do") == "others":
                ended = end_other_sessions(user, key)
                messages.success(request, f"Signed out elsewhere: {ended}.")
            else:
                end_session(user, request.POST.get("uid", "")[:32])
                messages.success(request, "That browser is signed out.")
        except NotFound as error:
            messages.warning(request, error.message)
        return HttpResponseRedirect(reverse("pages:sessions"))
    rows = [
        {"session": each, "browser": browser_name(each.agent), "is_this": each.pk == digest_of(key)}
        for each in sessions_of(user, _MOST_SESSIONS)
    ]
    return render(request, "sessions/index.html", {"rows": rows, "most": _MOST_SESSIONS})


def _no_passwords() -> NotAllowed:
    return NotAllowed(f"This console has no passwords: sign in with {settings.OIDC_TITLE}.")


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Store the chosen theme in a cookie, so that the next page is rendered with it."""
    response = HttpResponseRedirect(safe_return_url(request, request.POST.get("next", "")))
    store_value(response, THEME, request.POST.get("theme", "system"))
    return response
