"""View of retention: how long each kind of data is kept, and its number of rows."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.presenters.retention import retention_rows
from console.pages.shell import render_page
from console.retention.queries import retention_statuses_of


@org_page
@require_safe
def retention(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the retention of the organization's data; its periods apply to the installation."""
    context = {"rows": retention_rows(retention_statuses_of(actor.org.pk))}
    return render_page(request, actor, "settings/retention.html", context, section="settings")
