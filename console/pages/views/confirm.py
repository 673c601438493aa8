"""
View that confirms an applied version with a revert timer, or rolls it back at once.

A rollback with consequences leads to its review, which lists them.
"""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from console.configs.errors import ConfigRejected, ConsequencesNotAccepted
from console.configs.models import ConfigVersion
from console.configs.queries import revert_timer_of
from console.configs.services.confirm_config import confirm_config
from console.configs.services.revert_config import revert_config
from console.orgs.permissions import Actor
from console.pages.access import org_page, safe_return_url
from console.pages.draft_address import read_number


@org_page
@require_POST
def confirm(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Confirm the unconfirmed version, or roll back to the version before it."""
    version = read_number(request.POST.get("version", ""), "version")
    if request.POST.get("do") == "revert":
        return _revert(request, actor, version)
    confirm_config(actor, version)
    messages.success(request, f"Version {version} is confirmed.")
    return HttpResponseRedirect(safe_return_url(request, request.POST.get("next", "")))


def _revert(request: HttpRequest, actor: Actor, version: int) -> HttpResponse:
    timer = revert_timer_of(actor.org)
    try:
        made = revert_config(actor, version, ConfigVersion.Via.PAGE, accept=())
    except ConsequencesNotAccepted:
        assert timer is not None, "without a timer there is nothing to revert"
        review = reverse("pages:config-review", args=[actor.org.slug])
        return HttpResponseRedirect(f"{review}?to={timer.back_to}")
    except ConfigRejected as error:
        messages.error(
            request,
            f"Not rolled back: the older text has errors under the current checks. First error: "
            f"{error.reading.errors[0].message}",
        )
        return HttpResponseRedirect(safe_return_url(request, request.POST.get("next", "")))
    url = reverse("pages:config-version", args=[actor.org.slug, made.number])
    return HttpResponseRedirect(f"{url}?applied=1")
