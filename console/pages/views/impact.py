"""Views of impact: the effect of a draft or old version on live and recorded workloads."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from console.configs.disclosed_impact import impact_for_reader
from console.configs.errors import ConfigRejected
from console.configs.models import Draft, ImpactRun
from console.configs.queries import digest_of, get_impact
from console.configs.services.cancel_impact import cancel_impact
from console.configs.services.find_impact import find_impact
from console.dialects.base import Reading
from console.errors import NotFound
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.draft_address import draft_of_request, read_number
from console.pages.presenters.impact.live import live_view
from console.pages.presenters.impact.recorded import history_view
from console.pages.presenters.impact.shape_tester import ShapeTester
from console.pages.shell import render_page
from console.policies.queries import active_number, get_version


@dataclass(frozen=True, slots=True, kw_only=True)
class _Subject:
    """The config text of an impact: a draft, or an old version to roll back to."""

    dialect: str
    text: str
    #: Query string of the subject.
    query: str
    draft: Draft | None = None
    target: int | None = None


@org_page
@require_safe
def ask(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Redirect to the impact of ``?draft=ID`` or ``?to=N``; request it if it is not known."""
    return _ask(request, actor, again=False)


@org_page
@require_POST
def ask_again(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Request the impact again, even if it is known."""
    return _ask(request, actor, again=True)


@org_page
@require_safe
def show(request: HttpRequest, actor: Actor, run: int) -> HttpResponse:
    """Show the progress or the result of an impact run."""
    found = get_impact(actor.org, run)
    subject = _known_subject(request, actor)
    context: dict[str, Any] = {
        "run": found,
        "draft": subject.draft if subject else None,
        "target": subject.target if subject else None,
        "query": request.GET.urlencode(),
        "is_open": found.state in (ImpactRun.State.WAITING, ImpactRun.State.RUNNING),
        "is_changed": subject is not None
        and digest_of(subject.dialect, subject.text) != found.digest,
        "is_outdated": found.base != active_number(actor.org),
        "active": active_number(actor.org),
        "percent": 100 * found.done // found.total if found.total else 0,
    }
    if found.result is not None:
        result = impact_for_reader(actor, found.result)
        # The rule tester cannot test a text that is not stored any more.
        tester = (
            None if subject is None or context["is_changed"] else _tester(actor, subject, found)
        )
        context |= {
            "as_of": datetime.fromisoformat(found.result["as_of"]),
            "history": history_view(result, request.path, request.GET, tester),
            "live": live_view(result, request.path, request.GET),
        }
    return render_page(request, actor, "configs/impact.html", context, section="config")


@org_page
@require_POST
def cancel(request: HttpRequest, actor: Actor, run: int) -> HttpResponse:
    """Cancel an impact run."""
    cancel_impact(actor, run)
    url = reverse("pages:config-impact-run", args=[actor.org.slug, run])
    query = request.GET.urlencode()
    return HttpResponseRedirect(f"{url}?{query}" if query else url)


def _tester(actor: Actor, subject: _Subject, run: ImpactRun) -> ShapeTester:
    config = f"draft-{subject.draft.pk}" if subject.draft else str(subject.target)
    return ShapeTester(
        path=reverse("pages:tester", args=[actor.org.slug]),
        config=config,
        beside=str(run.base) if run.base else "",
    )


def _ask(request: HttpRequest, actor: Actor, *, again: bool) -> HttpResponse:
    actor.require(Permission.DRAFT)
    subject = _subject(request, actor)
    if subject is None:
        return HttpResponseRedirect(reverse("pages:config-drafts", args=[actor.org.slug]))
    try:
        with expensive(Kind.PREVIEW, actor.org.pk, actor.key, size=len(subject.text)):
            run = find_impact(actor, subject.dialect, subject.text, again=again)
    except ConfigRejected as error:
        return _refused(request, actor, subject, error.reading)
    url = reverse("pages:config-impact-run", args=[actor.org.slug, run.pk])
    return HttpResponseRedirect(f"{url}?{subject.query}")


def _known_subject(request: HttpRequest, actor: Actor) -> _Subject | None:
    """Return the draft or version in the address of a run, or None if it does not exist."""
    if not (request.GET.get("draft") or request.GET.get("to")):
        return None
    try:
        return _subject(request, actor)
    except NotFound:
        return None


def _subject(request: HttpRequest, actor: Actor) -> _Subject | None:
    target = request.GET.get("to", "")
    if target:
        number = read_number(target, "to")
        old = get_version(actor.org, number)
        return _Subject(dialect=old.dialect, text=old.text, query=f"to={number}", target=number)
    draft = draft_of_request(request, actor)
    if draft is None:
        return None
    return _Subject(dialect=draft.dialect, text=draft.text, query=f"draft={draft.pk}", draft=draft)


def _refused(
    request: HttpRequest, actor: Actor, subject: _Subject, reading: Reading
) -> HttpResponse:
    context = {"draft": subject.draft, "target": subject.target, "reading": reading}
    return render_page(request, actor, "configs/impact_refused.html", context, section="config")
