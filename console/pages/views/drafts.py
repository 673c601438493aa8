"""The editor: a draft that is saved while its author types, checked as it stands."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST

from console.configs.models import Draft
from console.configs.queries import active_number, active_version, draft_of, get_version
from console.configs.services.check_config import check_config, find_dialect
from console.configs.services.discard_draft import discard_draft
from console.configs.services.save_draft import save_draft
from console.dialects import default_dialect, dialects, likely_dialect
from console.dialects.base import Dialect, Reading
from console.errors import BadRequest, Conflict, FieldError
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page, signed_in_user
from console.pages.presenters.changes import diff_lines
from console.pages.shell import render_page


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A text to begin with."""

    dialect: Dialect
    title: str
    text: str


@require_http_methods(["GET", "HEAD", "POST"])
@org_page
def edit(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the draft in the editor; save, check or discard it without scripts."""
    actor.require(Permission.DRAFT)
    if request.method == "POST":
        return _post(request, actor)
    return _page(request, actor, _draft(request, actor))


@require_POST
@org_page
def check(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Answer the diagnostics of a text as JSON, with its *seq*: late answers can be told."""
    body = _json(request)
    dialect, text = _text(body, "dialect"), _text(body, "text")
    reading = check_config(actor, dialect, text)
    likely = _other_language(dialect, text)
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
def autosave(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Save the draft and answer its revision; 409 when another window saved since."""
    body = _json(request)
    base, revision = body.get("base"), body.get("revision")
    if type(base) is not int or type(revision) is not int:
        raise BadRequest([FieldError("revision", "wrong_type", "base and revision are numbers.")])
    try:
        draft = save_draft(actor, _text(body, "dialect"), _text(body, "text"), base, revision + 1)
    except Conflict as error:
        return JsonResponse({"code": error.code, "detail": error.message}, status=409)
    return JsonResponse({"revision": draft.revision, "saved_at": draft.updated_at.isoformat()})


def unsaved_draft(actor: Actor) -> Draft:
    """Return the active text as a draft that nothing was saved of yet."""
    version = active_version(actor.org)
    return Draft(
        org=actor.org,
        author=actor.user,
        dialect=version.dialect if version else default_dialect().name,
        text=version.text if version else "",
        base=version.number if version else 0,
    )


def _draft(request: HttpRequest, actor: Actor) -> Draft:
    return draft_of(actor.org, signed_in_user(request)) or unsaved_draft(actor)


def _post(request: HttpRequest, actor: Actor) -> HttpResponse:
    org, do = actor.org, request.POST.get("do", "check" if "likely" in request.POST else "save")
    edit_url = reverse("pages:config-edit", args=[org.slug])
    if do == "discard":
        discard_draft(actor)
        messages.success(request, "The draft is discarded. This is the active text.")
        return HttpResponseRedirect(edit_url)
    before = _draft(request, actor)
    if do in ("sample", "from"):
        _begin(request, actor, before)
        return HttpResponseRedirect(edit_url)
    # Forms send line ends as CR LF whatever they were.
    text = request.POST.get("text", "").replace("\r\n", "\n")
    sent = Draft(
        org=org,
        dialect=request.POST.get("likely") or request.POST.get("dialect", before.dialect),
        text=text,
        base=_int(request, "base", before.base),
        revision=_int(request, "revision", before.revision),
    )
    try:
        saved = save_draft(actor, sent.dialect, sent.text, sent.base, sent.revision + 1)
    except Conflict as error:
        if error.code != "stale_draft":
            raise
        # Saving once more overwrites the other text, which the page shows.
        sent.revision = before.revision
        return _page(request, actor, sent, other=before, status=409)
    if do == "review":
        return HttpResponseRedirect(reverse("pages:config-review", args=[org.slug]))
    if do == "check":
        reading = check_config(actor, saved.dialect, saved.text)
        return _page(request, actor, saved, reading=reading)
    messages.success(request, "The draft is saved.")
    return HttpResponseRedirect(edit_url)


def _begin(request: HttpRequest, actor: Actor, before: Draft) -> None:
    """Start the draft afresh from an example or from an old version."""
    if "title" in request.POST:
        dialect = request.POST.get("dialect", before.dialect)
        text = find_dialect(dialect).samples().get(request.POST["title"], "")
    else:
        old = get_version(actor.org, _int(request, "version", 0))
        text, dialect = old.text, old.dialect
        messages.success(request, f"Your draft now has the text of version {old.number}.")
    save_draft(actor, dialect, text, active_number(actor.org), before.revision + 1)


def _page(
    request: HttpRequest,
    actor: Actor,
    draft: Draft,
    *,
    reading: Reading | None = None,
    other: Draft | None = None,
    status: int = 200,
) -> HttpResponse:
    now_active = active_number(actor.org)
    context: dict[str, Any] = {
        "draft": draft,
        "is_saved": draft.revision > 0,
        "is_behind": draft.base != now_active,
        "active_number": now_active,
        "dialects": dialects().values(),
        "likely": _other_language(draft.dialect, draft.text),
        "samples": () if draft.text.strip() else _samples(),
        "reading": reading,
        "other": other,
        "other_rows": diff_lines(other.text, draft.text) if other else (),
    }
    return render_page(
        request, actor, "configs/edit.html", context, section="config", status=status
    )


def _other_language(dialect: str, text: str) -> Dialect | None:
    """Return the language that *text* looks like, unless it is the one it is read in."""
    likely = likely_dialect(text)
    return likely if likely is not None and likely.name != dialect else None


def _samples() -> list[Sample]:
    """Return the examples of every language, those of the default one first."""
    return [
        Sample(dialect=dialect, title=title, text=text)
        for dialect in sorted(dialects().values(), key=lambda each: not each.is_default)
        for title, text in dialect.samples().items()
    ]


def _json(request: HttpRequest) -> dict[str, Any]:
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError) as error:
        raise BadRequest([FieldError("", "invalid_json", "The body is not JSON.")]) from error
    if not isinstance(body, dict):
        raise BadRequest([FieldError("", "wrong_type", "The body has to be an object.")])
    return body


def _text(body: dict[str, Any], name: str) -> str:
    value = body.get(name)
    if not isinstance(value, str):
        raise BadRequest([FieldError(name, "wrong_type", f"{name} has to be a text.")])
    return value


def _int(request: HttpRequest, name: str, default: int) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default
