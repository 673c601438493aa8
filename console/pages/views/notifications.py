"""Views of the e-mail that a member gets about own workloads, and of the links in e-mails."""

from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from console.documentation.library import document_url
from console.errors import BadRequest, Conflict, FieldError, NotFound
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page, refusal, signed_in, signed_in_user
from console.pages.live import live_by
from console.pages.personal_formats import active_formats
from console.pages.presenters.webhooks import delivery_row, kind_choices
from console.pages.shell import live_version, render_page
from console.pages.webhook_form import new_webhook_url
from console.webhooks.confirmation_waits import next_confirmation
from console.webhooks.digests import next_digest
from console.webhooks.models import MEMBER_KINDS
from console.webhooks.queries import (
    last_attempts,
    list_deliveries,
    subscription_of,
    webhooks_version,
)
from console.webhooks.services.confirm_address import (
    confirm_address,
    member_to_confirm,
    request_confirmation,
)
from console.webhooks.services.subscribe import (
    send_subscription_test,
    subscribe,
    unsubscribe_by_link,
)
from console.webhooks.unsubscribe_links import member_of_link
from console.workloads.models import EventType
from console.workloads.queries.event_search import EventSearch

#: Number of e-mails that the page lists.
_LISTED = 10


def _version(org: Organization) -> str:
    return f"{live_version(org)}.{webhooks_version(org)}"


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def notifications(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """Show and change the events of own workloads that are sent by e-mail, or send a test."""
    actor.require(Permission.READ)
    if request.method != "POST":
        shown: HttpResponseBase = _show(request, actor)
        return shown
    match request.POST.get("do"):
        case "confirm":
            request_confirmation(actor)
            messages.success(
                request,
                "A confirmation e-mail is sent to your address. Open its link within a day.",
            )
        case "test":
            send_subscription_test(actor)
            messages.success(request, "A test is sent to your address; the list has its result.")
        case "save":
            given = {
                "kinds": request.POST.getlist("kinds"),
                "timing": request.POST.get("timing", ""),
            }
            is_on = subscribe(actor, given) is not None
            messages.success(request, "Saved." if is_on else "Saved: you get no e-mail.")
        case _:
            message = "Unknown action; use the buttons of the page."
            raise BadRequest([FieldError("do", "invalid_choice", message)])
    return HttpResponseRedirect(request.path)


@live_by(_version)
def _show(request: HttpRequest, actor: Actor) -> HttpResponse:
    found = subscription_of(actor)
    account, now = actor.user, timezone.now()
    assert account is not None, "pages have no other actors than people"
    is_on, is_confirmed = bool(settings.EMAIL_HOST), account.address_confirmed_at is not None
    again = next_confirmation(account.email) if is_on and not is_confirmed else None
    sent = list_deliveries(found, {}, _LISTED, None).results if found else []
    last = last_attempts(sent) if sent else {}
    formats, sent_at = active_formats(), next_digest(now)
    context = {
        "is_on": is_on,
        "is_confirmed": is_confirmed,
        "asked_at": account.confirmation_sent_at,
        "again_at": again if again and again > now else None,
        "subscription": found,
        "kinds": kind_choices(found.kinds if found else (), MEMBER_KINDS),
        "rows": [delivery_row(each, last.get(each.pk)) for each in sent],
        "sent_at": f"{formats.time_of_day(sent_at)} {formats.offset(sent_at)}",
        "address": account.email,
        "webhook_url": _webhook_url(actor),
        "mail_help_url": document_url("notifications", "set-up-the-mail-server"),
    }
    return render_page(request, actor, "settings/notifications.html", context, section="settings")


def _webhook_url(actor: Actor) -> str:
    """Return the form of a webhook for the events of the page; empty if *actor* may not."""
    if not actor.may(Permission.MANAGE_ORG):
        return ""
    types = (EventType.REQUEST_REJECTED, EventType.REQUEST_PREEMPTED)
    return new_webhook_url(actor.org.slug, EventSearch(types=types))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
def confirmation(request: HttpRequest, link: str) -> HttpResponse:
    """Ask whether to confirm the address of a link, which programs also open, or confirm it."""
    user = signed_in_user(request)
    try:
        if request.method != "POST":
            member = member_to_confirm(user, link)
            return render(request, "sessions/confirm.html", {"address": member.user.email})
        org = confirm_address(user, link)
    except (NotFound, Conflict) as error:
        return refusal(request, error, None)
    messages.success(request, f"The address {user.email} is confirmed.")
    return HttpResponseRedirect(reverse("pages:notifications", args=[org.slug]))


# Mail programs end a subscription by a POST without cookies (RFC 8058); the signed link is enough.
@csrf_exempt
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unsubscribe(request: HttpRequest, link: str) -> HttpResponse:
    """Ask whether to end the subscription of a link, which programs also open, or end it."""
    try:
        if request.method == "POST":
            unsubscribe_by_link(link)
        else:
            member_of_link(link)
    except NotFound as error:
        return refusal(request, error, None)
    context = {"is_done": request.method == "POST"}
    return render(request, "sessions/unsubscribe.html", context)
