"""Views of webhooks for owners: settings, deliveries and attempts."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from console.errors import BadRequest, Conflict, FieldError
from console.orgs.models import Organization
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.live import live_by
from console.pages.presenters.lists.addresses import PAGE_SIZE, pager_of
from console.pages.presenters.lists.filters import canonical_query
from console.pages.presenters.webhooks import (
    attempt_rows,
    delivery_row,
    kind_choices,
    pretty,
    state_segments,
    webhook_row,
)
from console.pages.shell import live_version, render_page
from console.pages.webhook_form import (
    adds_queue,
    chosen_queues,
    initial_fields,
    posted_fields,
    queue_choices,
)
from console.policies.queries import active_policy
from console.webhooks.formats import sent_text
from console.webhooks.models import Format, Kind, Webhook
from console.webhooks.queries import (
    get_delivery,
    get_webhook,
    last_attempts,
    list_deliveries,
    webhooks_of,
    webhooks_version,
)
from console.webhooks.services.create_webhook import MOST_WEBHOOKS, create_webhook
from console.webhooks.services.delete_webhook import delete_webhook
from console.webhooks.services.replay_delivery import replay_delivery
from console.webhooks.services.rotate_secret import rotate_secret
from console.webhooks.services.send_test import send_test
from console.webhooks.services.update_webhook import update_webhook


def _version(org: Organization) -> str:
    return f"{live_version(org)}.{webhooks_version(org)}"


@org_page
@require_safe
def webhooks(request: HttpRequest, actor: Actor) -> HttpResponseBase:
    """List the webhooks."""
    # Checked before polls are answered, because even the version of the data is confidential.
    actor.require(Permission.MANAGE_ORG)
    shown: HttpResponseBase = _list(request, actor)
    return shown


@live_by(_version)
def _list(request: HttpRequest, actor: Actor) -> HttpResponse:
    rows = [webhook_row(each) for each in webhooks_of(actor.org)]
    context = {"rows": rows, "most": MOST_WEBHOOKS}
    return render_page(request, actor, "webhooks/index.html", context, section="settings")


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the form for a new webhook; on submission, show its secret once."""
    actor.require(Permission.MANAGE_ORG)
    if request.method != "POST":
        return _form(request, actor, None, initial_fields(None, request.GET), [])
    given = posted_fields(request.POST)
    if adds_queue(request.POST):
        return _form(request, actor, None, given, [])
    try:
        webhook, secret = create_webhook(actor, given)
    except (BadRequest, Conflict) as error:
        return _form(request, actor, None, given, _errors_of(error))
    if secret is not None:
        return _secret(request, actor, webhook, secret)
    messages.success(request, "The webhook was created. Send a test to check its address.")
    return HttpResponseRedirect(reverse("pages:webhook", args=[actor.org.slug, webhook.pk]))


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Change a webhook."""
    actor.require(Permission.MANAGE_ORG)
    webhook = get_webhook(actor.org, number)
    if request.method != "POST":
        return _form(request, actor, webhook, initial_fields(webhook), [])
    given = posted_fields(request.POST)
    if adds_queue(request.POST):
        return _form(request, actor, webhook, {"format": webhook.format, **given}, [])
    try:
        update_webhook(actor, number, given)
    except (BadRequest, Conflict) as error:
        return _form(
            request, actor, webhook, {"format": webhook.format, **given}, _errors_of(error)
        )
    messages.success(request, "The webhook was changed.")
    return HttpResponseRedirect(reverse("pages:webhook", args=[actor.org.slug, number]))


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def webhook(request: HttpRequest, actor: Actor, number: int) -> HttpResponseBase:
    """Show a webhook and its log; test, pause, resume or delete it, or replace its secret."""
    actor.require(Permission.MANAGE_ORG)
    if request.method != "POST":
        shown: HttpResponseBase = _show(request, actor, number=number)
        return shown
    here = reverse("pages:webhook", args=[actor.org.slug, number])
    match request.POST.get("do"):
        case "test":
            sent = send_test(actor, number)
            here = reverse("pages:webhook-delivery", args=[actor.org.slug, number, sent.uid])
        case "pause":
            update_webhook(actor, number, {"paused": True})
            messages.success(
                request, "Paused: no deliveries are created or sent until the webhook is resumed."
            )
        case "resume":
            update_webhook(actor, number, {"paused": False})
            messages.success(request, "Resumed: waiting deliveries are sent now.")
        case "rotate":
            return _secret(request, actor, *rotate_secret(actor, number))
        case "delete":
            delete_webhook(actor, number)
            messages.success(request, "The webhook was deleted with its deliveries.")
            here = reverse("pages:webhooks", args=[actor.org.slug])
        case _:
            message = "Unknown action; use the buttons of the page."
            raise BadRequest([FieldError("do", "invalid_choice", message)])
    return HttpResponseRedirect(here)


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def webhook_delivery(
    request: HttpRequest, actor: Actor, number: int, delivery: str
) -> HttpResponseBase:
    """Show one delivery with all attempts, or send it again."""
    actor.require(Permission.MANAGE_ORG)
    if request.method != "POST":
        shown: HttpResponseBase = _show_delivery(request, actor, number=number, delivery=delivery)
        return shown
    replay_delivery(actor, number, delivery)
    messages.success(request, "The delivery is sent again with the same id.")
    return HttpResponseRedirect(request.path)


@live_by(_version)
def _show(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    hook = get_webhook(actor.org, number)
    query = canonical_query(request.GET)
    page = list_deliveries(hook, query, PAGE_SIZE, query.get("cursor"))
    last = last_attempts(page.results)
    context = {
        "row": webhook_row(hook),
        "rows": [delivery_row(each, last.get(each.pk)) for each in page.results],
        "pager": pager_of(request.path, query, page),
        "segments": state_segments(request.path, query),
        "kinds": Kind.choices,
        "chosen": query,
        "is_filtered": bool(query.get("state") or query.get("kind")),
        "is_start": not query.get("cursor"),
    }
    return render_page(request, actor, "webhooks/detail.html", context, section="settings")


@live_by(_version)
def _show_delivery(request: HttpRequest, actor: Actor, number: int, delivery: str) -> HttpResponse:
    hook = get_webhook(actor.org, number)
    found = get_delivery(hook, delivery)
    attempts = list(found.attempts.all())
    context = {
        "webhook": hook,
        "row": delivery_row(found, attempts[-1] if attempts else None),
        "attempts": attempt_rows(attempts),
        "headers": attempts[-1].request_headers if attempts else (),
        "body": pretty(sent_text(hook, found)),
        "is_signed": hook.format == Format.JSON,
    }
    return render_page(request, actor, "webhooks/delivery.html", context, section="settings")


def _form(
    request: HttpRequest,
    actor: Actor,
    hook: Webhook | None,
    given: dict[str, Any],
    errors: list[FieldError],
) -> HttpResponse:
    policy = active_policy(actor.org)
    context = {
        "webhook": hook,
        "given": given,
        "formats": Format.choices,
        "queues": chosen_queues(given["queues"], policy),
        "queue_choices": queue_choices(given["queues"], policy),
        "kinds": kind_choices(given["kinds"]),
        "errors": errors,
        "wrong": {error.path.partition("[")[0]: True for error in errors},
    }
    status = 422 if errors else 200
    return render_page(
        request, actor, "webhooks/edit.html", context, section="settings", status=status
    )


def _secret(request: HttpRequest, actor: Actor, hook: Webhook, secret: str) -> HttpResponse:
    context = {"webhook": hook, "secret": secret}
    return render_page(request, actor, "webhooks/secret.html", context, section="settings")


def _errors_of(error: BadRequest | Conflict) -> list[FieldError]:
    if isinstance(error, BadRequest):
        return list(error.errors)
    return [FieldError("", error.code, error.message)]
