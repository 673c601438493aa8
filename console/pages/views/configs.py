"""Views of config versions: text, difference from the previous version, and blame."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from console.configs.blame import blame_of, blamed_versions
from console.configs.changelog import changes_of
from console.configs.models import ConfigVersion
from console.configs.queries import coming_changes, latest_draft
from console.configs.services.check_config import check_config
from console.configs.temporary_changes import schedules_of
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor
from console.pages.access import org_page, signed_in_user
from console.pages.presenters.configs.blame import blame_note, blame_runs
from console.pages.presenters.configs.differences import difference_of
from console.pages.presenters.configs.history import history_row, object_counts
from console.pages.presenters.configs.schedule import scheduled_rows, version_notes
from console.pages.presenters.configs.source import ALL, SourcePart, source_lines, source_parts
from console.pages.presenters.configs.version_sides import NOTHING, version_side
from console.pages.presenters.lists.addresses import with_query
from console.pages.shell import render_page
from console.pages.views.new_queue import may_add_queue
from console.policies.queries import active_number, active_version, get_version, policy_of

#: Maximum number of changes of a version in one line.
_MOST_CHANGES = 3


@org_page
@require_safe
def active(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the active version, or the first steps if there is none."""
    version = active_version(actor.org)
    if version is None:
        return render_page(request, actor, "configs/none.html", {}, section="config")
    return _show(request, actor, version)


@org_page
@require_safe
def version(request: HttpRequest, actor: Actor, number: int) -> HttpResponse:
    """
    Show one version.

    With ``diff``, show its changes; with ``blame``, show the version that last changed each line.
    ``lines`` is a line of the part of a long text that is loaded, or loads all parts.
    """
    return _show(request, actor, get_version(actor.org, number))


def _show(request: HttpRequest, actor: Actor, shown: ConfigVersion) -> HttpResponse:
    with expensive(Kind.COMPARE, actor.org.pk, actor.key, size=len(shown.text)):
        return _shown(request, actor, shown)


def _shown(request: HttpRequest, actor: Actor, shown: ConfigVersion) -> HttpResponse:
    reading = check_config(actor, shown.dialect, shown.text)
    now_active = active_number(actor.org)
    summary = changes_of(actor.org, [shown.number], _MOST_CHANGES)[shown.number]
    begun, made = schedules_of(actor.org, [shown.number])
    context: dict[str, Any] = {
        "version": shown,
        "row": history_row(
            shown,
            summary,
            active=now_active,
            notes=version_notes(begun.get(shown.number), made.get(shown.number)),
        ),
        "coming": scheduled_rows(actor.org.slug, coming_changes(actor.org)),
        "is_active": shown.number == now_active,
        "may_add_queue": may_add_queue(actor, policy_of(shown)),
        "active_number": now_active,
        "just_applied": "applied" in request.GET,
        "diagnostics": reading.diagnostics,
        "draft": latest_draft(actor.org, signed_in_user(request)),
        "object_counts": object_counts(policy_of(shown)),
    }
    if "diff" in request.GET:
        before = get_version(actor.org, shown.number - 1) if shown.number > 1 else None
        old = version_side(before) if before is not None else NOTHING
        context["difference"] = difference_of(request.path, request.GET, old, version_side(shown))
    context.update(_text(request, actor, shown))
    return render_page(request, actor, "configs/version.html", context, section="config")


def _text(request: HttpRequest, actor: Actor, shown: ConfigVersion) -> dict[str, Any]:
    """Return the parts of the text, one of them loaded, with the authors of its lines."""
    parts = list(source_parts(shown.text, request.GET.get("lines", "")))
    whole = with_query(request.path, request.GET, lines=ALL) if len(parts) > 1 else ""
    if "blame" not in request.GET:
        lines = ((part, source_lines(shown.text, part) if part.is_loaded else ()) for part in parts)
        shown_parts = [_shown_part(request, part, lines=some) for part, some in lines]
        return {"parts": shown_parts, "whole_url": whole}
    blame = blame_of(actor.org, shown)
    versions = blamed_versions(actor.org, blame)
    runs = (
        (part, blame_runs(shown.text, part, blame, versions) if part.is_loaded else ())
        for part in parts
    )
    return {
        "has_blame": True,
        "blame_note": blame_note(blame),
        "parts": [_shown_part(request, part, runs=some) for part, some in runs],
        "whole_url": whole,
    }


def _shown_part(request: HttpRequest, part: SourcePart, **content: Any) -> dict[str, Any]:
    """Return the data of a part for its template: lines or runs, and the page that loads it."""
    url = with_query(request.path, request.GET, lines=str(part.first))
    return {"part": part, "url": url, **content}
