"""The form that moves a rule to another position: a preview, and the apply."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from console.configs.errors import ConfigRejected, StaleVersion
from console.configs.models import ConfigVersion
from console.configs.services.move_rule import move_rule
from console.configs.services.preview_impact import preview_size
from console.configs.services.propose_move import MoveProposal, movable_rules, propose_move
from console.engine.diff.objects import PolicyObject
from console.engine.model.policy import Policy
from console.errors import BadRequest
from console.expensive import Kind, expensive
from console.orgs.permissions import Actor, Permission
from console.pages.access import org_page
from console.pages.change_form import Change, is_final, send_change
from console.pages.presenters.configs.moves import position_fields, rule_lines
from console.pages.proposal_preview import preview_of
from console.pages.review_form import ReviewForm, read_review
from console.pages.shell import render_page
from console.policies.queries import active_version, policy_of


@dataclass(frozen=True, slots=True, kw_only=True)
class _Form:
    """The form, as sent or as opened."""

    request: HttpRequest
    actor: Actor
    active: ConfigVersion
    rules: tuple[PolicyObject, ...]
    review: ReviewForm
    #: The typed positions, by the name of the field.
    values: dict[str, str] = field(default_factory=dict)
    errors: dict[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    was_sent: bool = False

    def index(self, name: str) -> int | None:
        """Return the index of a typed position, from 0; None if it is no position."""
        typed = self.values.get(name, "").strip()
        number = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 10 else 0
        return number - 1 if 1 <= number <= len(self.rules) else None


def may_move_rules(actor: Actor, policy: Policy) -> bool:
    """Return whether pages offer the form: the config has rules, and *actor* may apply."""
    return actor.may(Permission.APPLY) and len(movable_rules(policy)) > 1


@org_page
@require_http_methods(["GET", "HEAD", "POST"])
def move(request: HttpRequest, actor: Actor) -> HttpResponse:
    """Show the rules, preview a move, or apply it."""
    actor.require(Permission.APPLY)
    active = active_version(actor.org)
    rules = tuple(movable_rules(policy_of(active))) if active else ()
    if active is None or len(rules) < 2:
        context = {"version": active, "count": 0}
        return render_page(request, actor, "configs/move_rule.html", context, section="config")
    form = _Form(
        request=request,
        actor=actor,
        active=active,
        rules=rules,
        review=ReviewForm(expected_version=active.number),
        values={"rule": request.GET.get("rule", "")},
    )
    if request.method != "POST":
        return _page(form)
    values = {name: request.POST.get(name, "") for name in ("rule", "to")}
    size = preview_size(actor, active.text)
    with expensive(Kind.COMPARE, actor.org.pk, actor.key, size=size):
        return _sent(replace(form, values=values, review=read_review(request)))


def _sent(form: _Form) -> HttpResponse:
    """Apply or preview the sent form; a form for an older version becomes one for the active."""
    expected, is_sent = form.review.expected_version, is_final(form.request)
    if expected != form.active.number:
        notice = (
            f"Version {form.active.number} was applied after you opened this form, and may have "
            "other rules at these positions. Nothing was applied yet."
        )
        review = replace(form.review.without_confirmations(), expected_version=form.active.number)
        stale = replace(form, review=review, notices=(notice,))
        return _page(stale, status=409 if is_sent else 200)
    rule, to = form.index("rule"), form.index("to")
    if not is_sent or rule is None or to is None:
        errors = _errors(form) if is_sent else form.errors
        return _page(replace(form, errors=errors), status=422 if is_sent else 200)

    def propose() -> MoveProposal:
        return propose_move(form.actor, rule, to, expected)

    def apply() -> tuple[ConfigVersion, MoveProposal]:
        return move_rule(
            form.actor,
            rule,
            to,
            form.review.message,
            expected,
            accept=form.review.accepted(expected + 1),
            via=ConfigVersion.Via.PAGE,
        )

    page = reverse("pages:config-rule-move", args=[form.actor.org.slug])
    change = Change(
        propose=propose,
        apply=apply,
        title=f"Move rule {rule + 1} to {to + 1}",
        unchanged="Nothing was applied: the rule has this position already.",
        page=lambda _: f"{page}?rule={to + 1}",
    )
    answer = send_change(form.request, form.actor, form.review, change)
    if isinstance(answer, HttpResponse):
        return answer
    refused = replace(form, notices=answer.notices, was_sent=answer.lacks_consent)
    if answer.error is not None:
        refused = _with_errors(refused, answer.error)
    return _page(refused, status=answer.status)


def _errors(form: _Form) -> dict[str, str]:
    return {
        name: f"Enter a position from 1 to {len(form.rules):,}."
        for name in ("rule", "to")
        if form.index(name) is None
    }


def _with_errors(form: _Form, error: BadRequest | ConfigRejected) -> _Form:
    if isinstance(error, BadRequest):
        errors = {each.path: each.message for each in error.errors if each.path in form.values}
        others = tuple(each.message for each in error.errors if each.path not in form.values)
        return replace(form, errors=errors, notices=(*form.notices, *others))
    found = tuple(each.message for each in error.reading.errors)
    return replace(form, notices=(*form.notices, *found))


def _page(form: _Form, *, status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {}
    rule, to = form.index("rule"), form.index("to")
    typed = {name for name, value in form.values.items() if value.strip()}
    if form.request.method == "POST" and not form.errors:
        invalid = _errors(form)
        form = replace(form, errors={name: invalid[name] for name in typed & invalid.keys()})
    if rule is not None and to is not None and rule != to and not form.errors:
        try:
            proposal = propose_move(form.actor, rule, to, form.review.expected_version)
        except (BadRequest, ConfigRejected) as error:
            form = _with_errors(form, error)
        except StaleVersion as error:
            form = replace(form, notices=(error.message,))
        else:
            policy = proposal.reading.policy
            assert policy is not None, "a proposal has no errors"
            context = preview_of(
                form.actor,
                form.active,
                proposal.text,
                policy,
                form.review,
                owner=form.rules[rule].target,
                was_sent=form.was_sent,
            ).context
    around = 1 if rule is None else rule + 1
    context |= {
        "version": form.active,
        "count": len(form.rules),
        "around": around,
        "rules": rule_lines(form.rules, form.active.dialect, around),
        "fields": position_fields(form.values, form.errors, len(form.rules)),
        "form": form.review,
        "notices": form.notices,
        "next": form.active.number + 1,
    }
    return render_page(
        form.request,
        form.actor,
        "configs/move_rule.html",
        context,
        section="config",
        status=status,
    )
