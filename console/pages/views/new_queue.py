"""The form that adds a queue, and what routes workloads to it: a preview, and the apply."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.configs.errors import ConfigRejected, StaleVersion
from console.configs.models import ConfigVersion
from console.configs.services.create_queue import create_queue
from console.configs.services.preview_impact import preview_size
from console.configs.services.propose_queue import (
    QueueForm,
    QueueInput,
    may_have_queues,
    propose_queue,
    queue_form,
)
from console.engine.model.policy import Policy
from console.errors import BadRequest
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.change_form import Change, is_final, send_change
from console.pages.presenters.queues.new_queue import (
    NAME,
    default_input,
    errors_by_input,
    example_numbers,
    field_rows,
    input_of,
    is_complete,
    resource_rows,
)
from console.pages.proposal_preview import preview_of
from console.pages.review_form import ReviewForm, read_review
from console.pages.shell import render_page
from console.policies.queries import active_version
from console.workloads.queries.filter_values import workload_values


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sent:
    """The form, as sent or as opened."""

    request: HttpRequest
    actor: Actor
    active: ConfigVersion
    form: QueueForm
    queue: QueueInput
    review: ReviewForm
    #: Messages by the name of the input.
    errors: dict[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    was_sent: bool = False


def may_add_queue(actor: Actor, policy: Policy) -> bool:
    """Return whether pages offer the form: the language has it, and *actor* may apply."""
    return actor.may(Permission.APPLY) and may_have_queues(policy)


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def new_queue(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the form for a new queue, preview it, or apply it."""
    actor.require(Permission.APPLY)
    active = active_version(actor.org)
    form = queue_form(actor, active) if active else None
    if active is None or form is None:
        context = {"version": active, "is_offered": False}
        return render_page(request, actor, "queues/new.html", context, section="queues")
    sent = _Sent(
        request=request,
        actor=actor,
        active=active,
        form=form,
        queue=default_input(form),
        review=ReviewForm(expected_version=active.number),
    )
    if request.method != "POST":
        return _page(sent)
    queue = input_of(form, {name: request.POST.getlist(name) for name in request.POST})
    size = preview_size(actor, active.text)
    with expensive(Kind.COMPARE, actor.org.pk, actor.key, size=size):
        return _answer(replace(sent, queue=queue, review=read_review(request)))


def _answer(sent: _Sent) -> HttpResponse:
    """Apply or preview the sent form; a form for an older version becomes one for the active."""
    expected, actor = sent.review.expected_version, sent.actor
    if expected != sent.active.number:
        notice = (
            f"Version {sent.active.number} was applied after you opened this form. Your values are "
            "kept. Nothing was applied yet."
        )
        review = replace(sent.review.without_confirmations(), expected_version=sent.active.number)
        stale = replace(sent, review=review, notices=(notice,))
        return _page(stale, status=409 if is_final(sent.request) else 200)
    if not is_final(sent.request):
        return _page(sent)
    change = Change(
        propose=lambda: propose_queue(actor, sent.queue, expected),
        apply=lambda: create_queue(
            actor,
            sent.queue,
            sent.review.message,
            expected,
            accept=sent.review.accepted(expected + 1),
            via=ConfigVersion.Via.PAGE,
        ),
        title=f"New queue {sent.queue.name}",
        unchanged="Nothing was applied: no line is different.",
        page=lambda proposal: reverse("pages:queue", args=[actor.org.slug, proposal.name]),
    )
    answer = send_change(sent.request, actor, sent.review, change)
    if isinstance(answer, HttpResponse):
        return answer
    refused = replace(sent, notices=answer.notices, was_sent=answer.lacks_consent)
    if answer.error is not None:
        refused = _with_errors(refused, answer.error)
    return _page(refused, status=answer.status)


def _with_errors(sent: _Sent, error: BadRequest | ConfigRejected) -> _Sent:
    if isinstance(error, BadRequest):
        errors, others = errors_by_input(sent.queue, error.errors)
        return replace(sent, errors=errors, notices=(*sent.notices, *others))
    found = tuple(each.message for each in error.reading.errors)
    return replace(sent, notices=(*sent.notices, *found))


def _page(sent: _Sent, *, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {}
    has_problem = bool(sent.errors or (sent.notices and status == 422))
    if is_complete(sent.form, sent.queue) and not has_problem and sent.request.method == "POST":
        try:
            proposal = propose_queue(sent.actor, sent.queue, sent.review.expected_version)
        except (BadRequest, ConfigRejected) as error:
            sent = _with_errors(sent, error)
        except StaleVersion as error:
            sent = replace(sent, notices=(error.message,))
        else:
            policy = proposal.reading.policy
            assert policy is not None, "a proposal has no errors"
            context = preview_of(
                sent.actor,
                sent.active,
                proposal.text,
                policy,
                sent.review,
                owner=proposal.name,
                was_sent=sent.was_sent,
            ).context
    rows = resource_rows(sent.form, sent.queue, sent.errors)
    fields = field_rows(sent.form, sent.queue, sent.errors, workload_values(sent.actor.org))
    problems = [f"Name: {sent.errors[NAME]}"] if NAME in sent.errors else []
    problems += [f"{each.field.title}: {each.error}" for each in fields if each.error]
    problems += [f"{cell.label}: {cell.error}" for row in rows for cell in row.cells if cell.error]
    context |= {
        "is_offered": True,
        "version": sent.active,
        "name": sent.queue.name,
        "name_error": sent.errors.get(NAME, ""),
        "fields": fields,
        "rows": rows,
        "titles": rows[0].cells if rows else (),
        "has_flavors": any(row.flavor for row in rows),
        "has_units": any(cell.unit for row in rows for cell in row.cells),
        "examples": example_numbers(sent.form),
        "about_route": sent.form.about_route,
        "problems": problems,
        "form": sent.review,
        "notices": sent.notices,
        "next": sent.active.number + 1,
    }
    return render_page(
        sent.request, sent.actor, "queues/new.html", context, section="queues", status=status
    )
