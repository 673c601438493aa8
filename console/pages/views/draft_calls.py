"""Requests of the editor's script during typing: checks, saves and presence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_POST

from console.configs.draft_lock import Presence
from console.configs.models import Draft
from console.configs.services.begin_draft import begin_draft
from console.configs.services.check_config import find_dialect
from console.configs.services.fix_text import fix_text
from console.configs.services.lint_config import lint_config
from console.configs.services.save_draft import save_draft
from console.configs.services.visit_draft import leave_draft, visit_draft
from console.dialects.assist import assist
from console.dialects.objects import vocabulary_of
from console.errors import BadRequest, ConsoleError
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor
from console.pages.access import org_page, signed_in_user
from console.pages.help_links import code_page
from console.pages.json_body import integer_of, read_json, text_of
from console.pages.presenters.configs.drafts import other_language
from console.pages.presenters.configs.outline import outline_json, outline_of


@org_page
@require_POST
def check(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Return problems and outline of a text with its *seq*, which identifies late responses."""
    body = read_json(request)
    dialect, text = text_of(body, "dialect"), text_of(body, "text")
    with expensive(Kind.CHECK, actor.org.pk, actor.key, size=len(text)):
        checked = lint_config(actor, dialect, text)
    likely = other_language(dialect, text)
    names = assist(find_dialect(dialect), text).names
    return JsonResponse(
        {
            "seq": body.get("seq"),
            "ok": checked.reading.ok,
            "diagnostics": [
                item.to_json(code_page(actor.org.slug, item.code)) for item in checked.findings
            ],
            "outline": outline_json(outline_of(names, vocabulary_of(dialect), checked.findings)),
            "likely": {"name": likely.name, "title": likely.title} if likely else None,
        }
    )


@org_page
@require_POST
def fix_all(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Return a text with all obvious fixes, and one sentence about them."""
    body = read_json(request)
    dialect, text = text_of(body, "dialect"), text_of(body, "text")
    with expensive(Kind.CHECK, actor.org.pk, actor.key, size=len(text)):
        fixed = fix_text(actor, dialect, text)
    return JsonResponse(
        {"seq": body.get("seq"), "text": fixed.text, "count": fixed.count, "said": fixed.sentence}
    )


@org_page
@require_POST
def begin(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Create a draft with the typed text, and return its page and revision."""
    body = read_json(request)
    dialect, text = text_of(body, "dialect"), text_of(body, "text")
    base, title = integer_of(body, "base"), body.get("title", "")
    return _saved(actor, lambda: begin_draft(actor, dialect, text, base, title))


@org_page
@require_POST
def autosave(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Save the draft and return its revision; 409 if another member edits or has saved it."""
    body = read_json(request)
    dialect, text = text_of(body, "dialect"), text_of(body, "text")
    base, revision = integer_of(body, "base"), integer_of(body, "revision")
    title = text_of(body, "title") if "title" in body else None
    return _saved(
        actor, lambda: save_draft(actor, number, dialect, text, base, revision + 1, title)
    )


@org_page
@require_POST
def visit(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Record that the user has the draft open, and return its editor and other visitors."""
    try:
        presence = visit_draft(actor, number)
    except ConsoleError as error:
        return _refused(error)
    return JsonResponse(_presence(presence, signed_in_user(request).pk))


@org_page
@require_POST
def leave(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """End the user's visit, so that the next editor does not have to take the draft over."""
    leave_draft(actor, number)
    return HttpResponse(status=204)


def _refused(error: ConsoleError) -> HttpResponse:
    detail = error.message
    if isinstance(error, BadRequest):
        detail = " ".join(f"{each.path}: {each.message}" for each in error.errors)
    return JsonResponse({"code": error.code, "detail": detail}, status=error.status)


def _saved(actor: Actor, save: Callable[[], Draft]) -> HttpResponse:
    """Return the draft that *save* returns, or its error, as JSON."""
    try:
        draft = save()
    except ConsoleError as error:
        return _refused(error)
    return JsonResponse(
        {
            "draft": draft.pk,
            "revision": draft.revision,
            "saved_at": draft.updated_at.isoformat(),
            "page": reverse("pages:config-draft", args=[actor.org.slug, draft.pk]),
        }
    )


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
