"""Views of drafts: the list, and the editor, also without scripts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from console.configs.draft_lock import Presence, presences
from console.configs.models import Draft
from console.configs.queries import (
    get_draft,
    latest_draft,
    list_drafts,
    schedule_of_draft,
    schedules_of_drafts,
)
from console.configs.services.begin_draft import LONGEST_DRAFT, begin_draft
from console.configs.services.check_config import find_dialect
from console.configs.services.count_hits import count_hits
from console.configs.services.discard_draft import discard_draft
from console.configs.services.fix_text import fix_text, obvious_count
from console.configs.services.lint_config import Checked, lint_config
from console.configs.services.save_draft import save_draft
from console.configs.services.take_over_draft import take_over_draft
from console.configs.services.visit_draft import visit_draft
from console.dialects import default_dialect, dialects, likely_dialect
from console.dialects.assist import assist
from console.errors import BadRequest, Conflict, FieldError, NotFound
from console.expensive import CHEAP_TEXT, Kind, expensive
from console.orgs.models import User
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page, signed_in_user
from console.pages.presenters.configs.drafts import other_language, samples_of
from console.pages.presenters.configs.outline import outline_of
from console.pages.presenters.configs.text_diff import diff_lines
from console.pages.presenters.lists.addresses import PAGE_SIZE, pager_of
from console.pages.shell import render_page
from console.policies.queries import active_number, active_version, get_version


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def drafts(request: HttpRequest, actor: Actor) -> HttpResponse:
    """List the drafts of the organization with their visitors; create a draft from a file."""
    if request.method == "POST":
        return _redirect_to(actor, _from_file(request, actor))
    page = list_drafts(actor.org, PAGE_SIZE, request.GET.get("cursor"))
    schedules = schedules_of_drafts(actor.org, page.results)
    context = {
        "rows": [
            (presence, schedules.get(presence.draft.pk))
            for presence in presences(page.results, timezone.now())
        ],
        "pager": pager_of(request.path, request.GET, page),
        "active_number": active_number(actor.org),
        "dialects": dialects().values(),
    }
    return render_page(request, actor, "configs/drafts.html", context, section="config")


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the active text as an unsaved draft, and offer the user's latest draft."""
    actor.require(Permission.DRAFT)
    if request.method == "POST":
        return _begin(request, actor)
    return _page(
        request,
        actor,
        _unsaved(actor),
        earlier=latest_draft(actor.org, signed_in_user(request)),
    )


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Show a draft in the editor; save, check, discard or take it over without scripts."""
    if request.method == "POST":
        return _post(request, actor, number)
    presence = visit_draft(actor, number)
    return _page(request, actor, presence.draft, presence=presence)


@org_page
@require_safe
def download(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """Return the text of a draft as a file."""
    actor.require(Permission.READ)
    found = get_draft(actor.org, number)
    name = f"{actor.org.slug}-draft-{found.pk}.yaml"
    return HttpResponse(
        found.text,
        content_type="application/yaml; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _RejectedSave:
    """A rejected save: the stored draft and the conflict."""

    stored: Draft
    why: Conflict


def _redirect_to(actor: Actor, to: Draft) -> HttpResponse:
    return HttpResponseRedirect(reverse("pages:config-draft", args=[actor.org.slug, to.pk]))


def _unsaved(actor: Actor) -> Draft:
    """Return an unsaved draft with the active text."""
    version = active_version(actor.org)
    return Draft(
        org=actor.org,
        author=actor.user,
        dialect=version.dialect if version else default_dialect().name,
        text=version.text if version else "",
        base=version.number if version else 0,
    )


def _begin(request: HttpRequest, actor: Actor) -> HttpResponse:
    do = _verb(request)
    if do == "discard":
        return HttpResponseRedirect(reverse("pages:config-edit", args=[actor.org.slug]))
    if do == "from":
        old = get_version(actor.org, _int(request, "version", 0))
        title = f"From version {old.number}"
        return _redirect_to(
            actor, begin_draft(actor, old.dialect, old.text, active_number(actor.org), title)
        )
    sent = _draft_from_form(request, _unsaved(actor))
    if do == "fix":
        _fix_all(request, actor, sent)
    begun = begin_draft(actor, sent.dialect, sent.text, sent.base, sent.title)
    return _after_save(request, actor, begun, do)


def _post(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    do = _verb(request)
    before = get_draft(actor.org, number)
    if do == "discard":
        discard_draft(actor, number)
        messages.success(request, "The draft is discarded.")
        page = "config-edit" if request.POST.get("then") == "edit" else "config-drafts"
        return HttpResponseRedirect(reverse(f"pages:{page}", args=[actor.org.slug]))
    if do == "take":
        take_over_draft(actor, number, _int(request, "seen", 0) or None)
        messages.success(request, "You edit this draft now.")
        return _redirect_to(actor, before)
    sent = _draft_from_form(request, before)
    if do == "copy":
        title = sent.title or "A copy"
        return _redirect_to(actor, begin_draft(actor, sent.dialect, sent.text, sent.base, title))
    if do == "seize":
        take_over_draft(actor, number, _int(request, "seen", 0) or None)
    if do == "fix":
        _fix_all(request, actor, sent)
    try:
        saved = save_draft(
            actor, number, sent.dialect, sent.text, sent.base, sent.revision + 1, sent.title
        )
    except Conflict as error:
        # Another save from this page overwrites the other text, which the page shows.
        sent.revision = before.revision
        return _page(
            request, actor, sent, refused=_RejectedSave(stored=before, why=error), status=409
        )
    return _after_save(request, actor, saved, do)


def _after_save(request: HttpRequest, actor: Actor, saved: Draft, do: str) -> HttpResponse:
    if do == "review":
        url = reverse("pages:config-review", args=[actor.org.slug])
        return HttpResponseRedirect(f"{url}?draft={saved.pk}")
    if do in ("check", "fix"):
        with expensive(Kind.CHECK, actor.org.pk, actor.key, size=len(saved.text)):
            checked = lint_config(actor, saved.dialect, saved.text)
        (presence,) = presences([saved], timezone.now())
        return _page(request, actor, saved, presence=presence, checked=checked)
    if do != "sample":
        messages.success(request, "The draft is saved.")
    return _redirect_to(actor, saved)


def _fix_all(request: HttpRequest, actor: Actor, sent: Draft) -> None:
    """Apply all obvious fixes to the text of *sent*, and tell what was fixed."""
    with expensive(Kind.CHECK, actor.org.pk, actor.key, size=len(sent.text)):
        fixed = fix_text(actor, sent.dialect, sent.text)
    sent.text = fixed.text
    messages.success(request, fixed.sentence)


def _verb(request: HttpRequest) -> str:
    return request.POST.get("do", "check" if "likely" in request.POST else "save")


def _draft_from_form(request: HttpRequest, before: Draft) -> Draft:
    """Return *before* with the fields of the form, or with the text of a sample."""
    dialect = request.POST.get("likely") or request.POST.get("dialect", before.dialect)
    # Forms always send line ends as CR LF.
    text = request.POST.get("text", "").replace("\r\n", "\n")
    title = request.POST.get("title", before.title)
    if request.POST.get("do") == "sample":
        title = request.POST.get("sample", "")
        samples = find_dialect(dialect).samples()
        if title not in samples:
            raise NotFound("This example does not exist; choose another one.")
        text = samples[title]
    return Draft(
        pk=before.pk,
        org=before.org,
        author=before.author,
        title=title,
        dialect=dialect,
        text=text,
        base=_int(request, "base", before.base),
        revision=_int(request, "revision", before.revision),
        updated_at=before.updated_at,
    )


def _from_file(request: HttpRequest, actor: Actor) -> Draft:
    actor.require(Permission.DRAFT)
    file = request.FILES.get("file")
    if file is None:
        raise BadRequest([FieldError("file", "required", "Choose a config file first.")])
    # A character has at most four bytes; a file above the maximum is not read.
    if (file.size or 0) > 4 * LONGEST_DRAFT:
        message = f"{file.name} is too large: the limit of a draft is {LONGEST_DRAFT:,} characters."
        raise BadRequest([FieldError("file", "too_large", message)])
    try:
        text = file.read().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        message = f"{file.name} is not UTF-8 text; save it as UTF-8 and choose it again."
        raise BadRequest([FieldError("file", "not_utf8", message)]) from error
    likely = likely_dialect(text) or default_dialect()
    dialect = request.POST.get("dialect") or likely.name
    return begin_draft(actor, dialect, text, active_number(actor.org), (file.name or "")[:500])


def _page(
    request: HttpRequest,
    actor: Actor,
    shown: Draft,
    *,
    presence: Presence | None = None,
    checked: Checked | None = None,
    refused: _RejectedSave | None = None,
    earlier: Draft | None = None,
    status: int = 200,
) -> HttpResponse:
    now_active = active_number(actor.org)
    if refused and presence is None:
        (presence,) = presences([refused.stored], timezone.now())
    me = signed_in_user(request)
    holder = presence.editor if presence and presence.editor != me else None
    dialect = find_dialect(shown.dialect)
    names, vocabulary = assist(dialect, shown.text).names, dialect.vocabulary
    policy = checked.reading.policy if checked else None
    hits = count_hits(actor, policy) if policy else None
    schedule = schedule_of_draft(shown) if shown.pk else None
    is_free = holder is None and schedule is None
    context: dict[str, Any] = {
        "draft": shown,
        "schedule": schedule,
        "is_saved": shown.pk is not None,
        "is_behind": shown.base != now_active,
        "active_number": now_active,
        "dialects": dialects().values(),
        "likely": other_language(shown.dialect, shown.text),
        "cheap_text": CHEAP_TEXT,
        "samples": () if shown.text.strip() else samples_of(dialects().values()),
        "checked": checked,
        "fixable": obvious_count(checked.findings) if checked else 0,
        "hits": hits,
        "outline": outline_of(names, vocabulary, checked.findings if checked else (), hits),
        "holder": holder,
        "may_edit": actor.may(Permission.DRAFT) and (is_free or refused is not None),
        "presence": presence,
        "onlookers": [
            visit.user.email
            for visit in (presence.visits if presence else ())
            if visit.user not in (me, holder)
        ],
        "may_discard": _may_discard(actor, me, shown),
        "refused": refused,
        "earlier": earlier,
        "may_discard_earlier": earlier is not None and _may_discard(actor, me, earlier),
        "other_rows": diff_lines(refused.stored.text, shown.text) if refused else (),
    }
    return render_page(
        request, actor, "configs/edit.html", context, section="config", status=status
    )


def _may_discard(actor: Actor, me: User, draft: Draft) -> bool:
    return draft.author_id == me.pk or actor.may(Permission.APPLY)


def _int(request: HttpRequest, name: str, default: int) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default
