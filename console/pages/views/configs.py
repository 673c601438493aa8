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
from console.pages.presenters.configs.blame import BlamePage, blame_page
from console.pages.presenters.configs.differences import difference_of
from console.pages.presenters.configs.history import history_row, object_counts
from console.pages.presenters.configs.schedule import scheduled_rows, version_notes
from console.pages.presenters.configs.source import source_lines
from console.pages.presenters.configs.version_sides import NOTHING, version_side
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
    if "blame" in request.GET:
        context["blame"] = _blame(actor, shown)
    else:
        context["lines"] = source_lines(shown.text)
    return render_page(request, actor, "configs/version.html", context, section="config")


def _blame(actor: Actor, shown: ConfigVersion) -> BlamePage:
    blame = blame_of(actor.org, shown)
    return blame_page(shown.text, blame, blamed_versions(actor.org, blame))
