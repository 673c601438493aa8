"""The form that changes the quota of a queue or cohort: its numbers, a preview, and the apply."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.configs.errors import ConfigRejected, StaleVersion
from console.configs.models import ConfigVersion
from console.configs.services.change_numbers import change_numbers, submit_numbers
from console.configs.services.preview_impact import preview_size
from console.configs.services.propose_numbers import (
    NumberChange,
    NumberProposal,
    numbers_of,
    propose_numbers,
)
from console.configs.temporary_changes import UNTIL, temporary_of
from console.dialects import dialects
from console.dialects.editable_numbers import COHORT, EditableNumber, NumberKey, ObjectKey
from console.engine.diff.objects import QUEUE
from console.engine.model.policy import Policy
from console.errors import BadRequest
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.change_form import Change, is_final, send_change
from console.pages.local_times import read_local
from console.pages.presenters.configs.schedule import scheduled_rows
from console.pages.presenters.queues.quota_form import (
    advised_values,
    changes_of,
    errors_by_number,
    focused_input,
    fold_idle,
    number_rows,
    sent_values,
)
from console.pages.presenters.queues.quota_preview import limits_sentence
from console.pages.proposal_preview import preview_of
from console.pages.review_form import ReviewForm, read_review
from console.pages.shell import render_page
from console.policies.queries import active_version, policy_of
from console.workloads.queries import QueueView, queue_view
from console.workloads.queries.cohort_views import CohortSummary
from console.workloads.queries.cohorts import cohort_view

_NO_END: Final = (
    "A draft has no end time: after you apply it, the numbers stay until they are changed again. "
    "To change them until a time, use Change quota."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """The form of one object, as sent or with the current numbers."""

    request: HttpRequest
    actor: Actor
    owner: ObjectKey
    active: ConfigVersion
    #: The numbers of the active version.
    numbers: tuple[EditableNumber, ...]
    #: The values that were typed, by the name of the input.
    values: dict[str, str] = field(default_factory=dict)
    review: ReviewForm
    errors: dict[NumberKey, str] = field(default_factory=dict)
    #: The end of a temporary change as typed, and the problem with it.
    until: str = ""
    until_error: str = ""
    #: Messages about the whole form.
    notices: tuple[str, ...] = ()
    was_sent: bool = False

    @property
    def changes(self) -> tuple[NumberChange, ...]:
        """The numbers that differ from the active version."""
        return changes_of(self.numbers, self.values)

    def read_until(self) -> datetime | None:
        """Return the typed end; None if there is none. Raises BadRequest."""
        return read_local(self.request.POST, UNTIL)


def may_change_quota(actor: Actor, queue: QueueView, policy: Policy) -> bool:
    """Return whether the page of *queue* offers the form: the config states its numbers."""
    has_numbers = bool(queue.usages) and not queue.draining and not queue.created
    return has_numbers and _has_form(actor, policy)


def may_change_cohort_quota(actor: Actor, cohort: CohortSummary, policy: Policy) -> bool:
    """Return whether the page of *cohort* offers the form: the config has such an object."""
    return cohort.origin is not None and _has_form(actor, policy)


def _has_form(actor: Actor, policy: Policy) -> bool:
    """Return whether *actor* may change numbers, and the language of *policy* says which."""
    dialect = dialects().get(policy.dialect)
    has_fields = dialect is not None and dialect.number_fields is not None
    return has_fields and actor.may(Permission.APPLY)


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def quota(request: HttpRequest, actor: Actor, queue: str) -> HttpResponse:
    """Show the numbers of a queue, preview other numbers, or apply them."""
    actor.require(Permission.APPLY)
    queue_view(actor.org, queue)
    return _quota(request, actor, ObjectKey(QUEUE, queue))


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def cohort_quota(request: HttpRequest, actor: Actor, cohort: str) -> HttpResponse:
    """Show the numbers of a cohort, preview other numbers, or apply them."""
    actor.require(Permission.APPLY)
    cohort_view(actor.org, cohort)
    return _quota(request, actor, ObjectKey(COHORT, cohort))


def _quota(request: HttpRequest, actor: Actor, owner: ObjectKey) -> HttpResponse:
    active = active_version(actor.org)
    numbers = numbers_of(actor, owner, active.number) if active else ()
    if active is None or not any(number.span for number in numbers):
        context = {"owner": owner, "version": active}
        return _render(request, actor, owner, context)
    form = _Form(
        request=request,
        actor=actor,
        owner=owner,
        active=active,
        numbers=numbers,
        review=ReviewForm(expected_version=active.number),
    )
    if request.method != "POST":
        advised = advised_values(numbers, request.GET.dict())
        if not advised:
            return _page(form)
        form = replace(form, values=advised)
    size = preview_size(actor, active.text)
    with expensive(Kind.COMPARE, actor.org.pk, actor.key, size=size):
        if request.method != "POST":
            return _page(form)
        until = request.POST.get(UNTIL, "")
        return _sent(replace(form, review=read_review(request), until=until))


def _sent(form: _Form) -> HttpResponse:
    """Apply or preview the sent form; a form for an older version becomes one for the active."""
    expected = form.review.expected_version
    sent = form.request.POST.dict()
    if expected != form.active.number:
        before = numbers_of(form.actor, form.owner, expected)
        typed = {change.key for change in changes_of(before, sent_values(before, sent))}
        known = [number for number in form.numbers if number.key in typed]
        notice = (
            f"Version {form.active.number} was applied after you opened this form. The numbers are "
            "those of that version, with your changes. Nothing was applied yet."
        )
        review = replace(form.review.without_confirmations(), expected_version=form.active.number)
        stale = replace(form, values=sent_values(known, sent), review=review, notices=(notice,))
        return _page(stale, status=_status(form, 409))
    form = replace(form, values=sent_values(form.numbers, sent))
    if not is_final(form.request):
        return _page(form)
    sent_change = Change(
        propose=lambda: propose_numbers(form.actor, form.owner, form.changes, expected),
        apply=lambda: change_numbers(
            form.actor,
            form.owner,
            form.changes,
            form.review.message,
            expected,
            accept=form.review.accepted(expected + 1),
            until=form.read_until(),
            via=ConfigVersion.Via.PAGE,
        ),
        submit=lambda title: submit_numbers(
            form.actor, form.owner, form.changes, title, expected, until=form.read_until()
        ),
        title=f"Quota of {form.owner.name}",
        unchanged="Nothing was applied: no number is different.",
        draft_lacks=_NO_END if form.until else "",
        page=lambda proposal: reverse(
            f"pages:{form.owner.kind}", args=[form.actor.org.slug, proposal.name]
        ),
    )
    answer = send_change(form.request, form.actor, form.review, sent_change)
    if isinstance(answer, HttpResponse):
        return answer
    refused = replace(form, notices=answer.notices, was_sent=answer.lacks_consent)
    if answer.error is not None:
        refused = _with_errors(refused, answer.error)
    return _page(refused, status=answer.status)


def _status(form: _Form, refused: int) -> int:
    """Return *refused* for a change; a preview is shown, whatever it says."""
    return refused if is_final(form.request) else 200


def _with_errors(form: _Form, error: BadRequest | ConfigRejected) -> _Form:
    if isinstance(error, BadRequest):
        at_until = " ".join(each.message for each in error.errors if each.path == UNTIL)
        rest = [each for each in error.errors if each.path != UNTIL]
        at_number, others = errors_by_number(form.changes, rest)
        return replace(
            form,
            errors=at_number,
            until_error=at_until,
            notices=(*form.notices, *others),
        )
    found = tuple(each.message for each in error.reading.errors)
    return replace(form, notices=(*form.notices, *found))


def _page(form: _Form, *, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {}
    if form.changes and not form.errors:
        try:
            proposal = propose_numbers(
                form.actor, form.owner, form.changes, form.review.expected_version
            )
        except (BadRequest, ConfigRejected) as error:
            form = form if form.notices else _with_errors(form, error)
        except StaleVersion as error:
            form = replace(form, notices=(error.message,))
        else:
            context = _preview(form, proposal)
    policy = policy_of(form.active)
    rows, folded = fold_idle(
        number_rows(form.numbers, form.values, form.errors), form.owner, policy
    )
    context |= {
        "owner": form.owner,
        "version": form.active,
        "rows": rows,
        "folded": folded,
        "focused": focused_input(rows, form.request.GET.dict()),
        "has_flavors": any(number.key.flavor for number in form.numbers),
        "form": form.review,
        "notices": form.notices,
        "next": form.active.number + 1,
        "is_changed": bool(form.changes),
        "until": form.until,
        "until_error": form.until_error,
        "temporary": scheduled_rows(
            form.actor.org.slug,
            temporary_of(form.actor.org, policy, form.owner.kind, form.owner.name),
        ),
    }
    return _render(form.request, form.actor, form.owner, context, status=status)


def _render(
    request: HttpRequest,
    actor: Actor,
    owner: ObjectKey,
    context: dict[str, Any],
    *,
    status: int = 200,
) -> HttpResponse:
    section = f"{owner.kind}s"
    context |= {
        "section": section,
        "section_title": section.title(),
        "form_page": f"{owner.kind}-quota",
    }
    return render_page(
        request, actor, "queues/quota_form.html", context, section=section, status=status
    )


def _preview(form: _Form, proposal: NumberProposal) -> dict[str, Any]:
    policy = proposal.reading.policy
    assert policy is not None, "a proposal has no errors"
    preview = preview_of(
        form.actor,
        form.active,
        proposal.text,
        policy,
        form.review,
        owner=proposal.name,
        was_sent=form.was_sent,
    )
    balances = preview.impact.balances if preview.impact else ()
    return preview.context | {
        "proposal": proposal,
        "limits": limits_sentence(balances, {each.key.resource for each in form.changes}),
    }
