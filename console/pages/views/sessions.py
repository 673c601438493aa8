"""Signing in and out, a new password, and the theme."""

from __future__ import annotations

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth import authenticate, login, logout, update_session_auth_hash
from django.contrib.auth.forms import PasswordChangeForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from console.orgs.audit import record_person
from console.pages import throttle
from console.pages.access import safe_return_url, signed_in, signed_in_user
from console.reading import is_storable

THEMES = ("system", "light", "dark")
YEAR = 365 * 24 * 3600


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in(request: HttpRequest) -> HttpResponse:
    """Ask for e-mail address and password, and go back to where the person came from."""
    next_url = request.POST.get("next", request.GET.get("next", ""))
    if request.method != "POST":
        if request.user.is_authenticated:
            return HttpResponseRedirect(safe_return_url(request, next_url))
        return render(request, "sessions/sign_in.html", {"next": next_url})
    email = request.POST.get("email", "").strip()
    wait = throttle.seconds_to_wait(request, email)
    if wait:
        error = f"Too many wrong passwords. Try again in {wait} second{'s' if wait != 1 else ''}."
        status = HTTPStatus.TOO_MANY_REQUESTS
    else:
        user = None
        # No database can be asked for the others.
        if is_storable(email):
            user = authenticate(request, username=email, password=request.POST.get("password", ""))
        if user is not None:
            throttle.forget(request, email)
            login(request, user)
            return HttpResponseRedirect(safe_return_url(request, next_url))
        throttle.count_failure(request, email)
        error = "That e-mail address and password do not match an account. Check both."
        status = HTTPStatus.UNPROCESSABLE_ENTITY
    context = {"next": next_url, "email": email, "error": error}
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
    """Change one's own password; this session stays, the others end."""
    form = PasswordChangeForm(signed_in_user(request), request.POST or None)
    if request.method == "POST" and form.is_valid():
        user = form.save()
        update_session_auth_hash(request, user)
        record_person(user, "account.password")
        messages.success(request, "Your password is changed. Other browsers are signed out.")
        return HttpResponseRedirect(reverse("pages:orgs"))
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "sessions/password.html", {"form": form}, status=status)


@require_POST
def theme(request: HttpRequest) -> HttpResponse:
    """Keep the chosen theme in a cookie, so that the next page is rendered in it at once."""
    chosen = request.POST.get("theme", "system")
    response = HttpResponseRedirect(safe_return_url(request, request.POST.get("next", "")))
    if chosen in THEMES:
        response.set_cookie("theme", chosen, max_age=YEAR, samesite="Lax", httponly=True)
    return response
