"""View of the appearance settings of the browser: theme, row height and shortcuts."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_http_methods

from console.orgs.permissions import Actor
from console.pages.access import org_page
from console.pages.appearance import CHOICES, selected_value, store_value
from console.pages.shell import render_page


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def appearance(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the settings, or store the posted ones in cookies; the next page uses them at once."""
    if request.method == "POST":
        response = HttpResponseRedirect(request.path)
        for choice in CHOICES:
            store_value(response, choice, request.POST.get(choice.name, ""))
        messages.success(request, "Saved for this browser.")
        return response
    context = {"choices": [(choice, selected_value(request, choice)) for choice in CHOICES]}
    return render_page(request, actor, "settings/appearance.html", context, section="settings")
