"""What the editor's script asks while somebody types: checks, saves, and who else is there."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from console.configs.draft_lock import Presence
from console.configs.models import Draft
from console.configs.services.begin_draft import begin_draft
from console.configs.services.check_config import check_config
from console.configs.services.save_draft import save_draft
from console.configs.services.visit_draft import leave_draft, visit_draft
from console.errors import BadRequest, ConsoleError, FieldError
from console.orgs.permissions import Actor
from console.pages.access import org_page, signed_in_user
from console.pages.presenters.drafts import other_language


@require_POST
@org_page
def check(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Answer the diagnostics of a text as JSON, with its *seq*: late answers can be told."""
    body = read_json(request)
    dialect, text = text_of(body, "dialect"), text_of(body, "text")
    reading = check_config(actor, dialect, text)
    likely = other_language(dialect, text)
    return JsonResponse(
        {
            "seq": body.get("seq"),
            "ok": reading.ok,
            "diagnostics": [item.to_json() for item in reading.diagnostics],
            "likely": {"name": likely.name, "title": likely.title} if likely else None,
        }
    )


@require_POST
@org_page
def begin(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Begin a draft with what was typed so far, and answer where it lives."""
    body = read_json(request)
    title = body.get("title", "")
    try:
        draft = begin_draft(
            actor, text_of(body, "dialect"), text_of(body, "text"), _integer(body, "base"), title
        )
    except BadRequest:
        raise
    except ConsoleError as error:
        return _refused(error)
    return JsonResponse(_saved(actor, draft))


@require_POST
@org_page
def save(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Save the draft and answer its revision; 409 when somebody else edits it or saved since."""
    body = read_json(request)
    dialect, text = text_of(body, "dialect"), text_of(body, "text")
    base, revision = _integer(body, "base"), _integer(body, "revision")
    title = text_of(body, "title") if "title" in body else None
    try:
        draft = save_draft(actor, number, dialect, text, base, revision + 1, title)
    except BadRequest:
        raise
    except ConsoleError as error:
        return _refused(error)
    return JsonResponse(_saved(actor, draft))


@require_POST
@org_page
def visit(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Note that the person still has the draft open, and answer who is at it."""
    try:
        presence = visit_draft(actor, number)
    except ConsoleError as error:
        return _refused(error)
    return JsonResponse(_presence(presence, signed_in_user(request).pk))


@require_POST
@org_page
def leave(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """End the person's visit, so that the next one need not take the draft over."""
    leave_draft(actor, number)
    return HttpResponse(status=204)


def read_json(request: HttpRequest) -> dict[str, Any]:
    """Return the object in the body; raises BadRequest when there is none."""
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise BadRequest([FieldError("", "invalid_json", "The body is not JSON.")]) from error
    if not isinstance(body, dict):
        raise BadRequest([FieldError("", "wrong_type", "The body has to be an object.")])
    return body


def text_of(body: dict[str, Any], name: str) -> str:
    """Return the text *name* of the body; raises BadRequest when it is none."""
    value = body.get(name)
    if not isinstance(value, str):
        raise BadRequest([FieldError(name, "wrong_type", f"{name} has to be a text.")])
    return value


def _integer(body: dict[str, Any], name: str) -> int:
    value = body.get(name)
    if type(value) is not int:
        raise BadRequest([FieldError(name, "wrong_type", f"{name} has to be a number.")])
    return value


def _refused(error: ConsoleError) -> HttpResponse:
    return JsonResponse({"code": error.code, "detail": error.message}, status=error.status)


def _saved(actor: Actor, draft: Draft) -> dict[str, Any]:
    return {
        "draft": draft.pk,
        "revision": draft.revision,
        "saved_at": draft.updated_at.isoformat(),
        "page": reverse("pages:config-draft", args=[actor.org.slug, draft.pk]),
    }


def _presence(presence: Presence, me: int) -> dict[str, Any]:
    editor = presence.editor
    return {
        "revision": presence.draft.revision,
        "editor": None
        if editor is None or editor.pk == me
        else {
            "id": editor.pk,
            "name": editor.email,
            "since": presence.draft.editing_since.isoformat()
            if presence.draft.editing_since
            else "",
        },
        "others": [
            visit.user.email
            for visit in presence.visits
            if visit.user_id not in (me, editor.pk if editor else None)
        ],
    }
