"""The preview of a proposed config text beside the form that made it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from console.configs.models import ConfigVersion
from console.configs.services.added_warnings import added_warnings
from console.configs.services.consequences import consequences_of
from console.configs.services.lint_config import lint_config
from console.configs.services.preview_impact import MOST_LIVE, ImpactPreview, preview_impact
from console.dialects.objects import compare_policies
from console.engine.model.policy import Policy
from console.engine.simulation.affected import affected_workloads
from console.orgs.permissions import Actor
from console.pages.presenters.configs.review import confirmation_of
from console.pages.presenters.configs.text_diff import diff_page
from console.pages.presenters.queues.quota_preview import outcome_lines
from console.pages.review_form import ReviewForm
from console.policies.queries import policy_of
from console.workloads.queries.backlog import backlog_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What an apply of a text would do: the context of its template, and the impact."""

    context: dict[str, Any]
    #: None if too many workloads run or wait.
    impact: ImpactPreview | None


def preview_of(
    actor: Actor,
    active: ConfigVersion,
    text: str,
    policy: Policy,
    review: ReviewForm,
    *,
    owner: str,
    was_sent: bool,
) -> Preview:
    """
    Return the preview of *text* without errors, whose policy is *policy*, in place of *active*.

    *owner* is the queue or cohort whose resources are balanced. *review* and *was_sent* are those
    of `confirmation_of`.
    """
    checked = lint_config(actor, policy.dialect, text)
    before, backlog = policy_of(active), backlog_of(actor.org)
    rows, _ = diff_page(active.text, text, 0)
    impact = preview_impact(actor, policy, active.number, owner)
    changes = compare_policies(before, policy)
    added = added_warnings(active, checked)
    confirmation = confirmation_of(
        consequences_of(actor, policy.dialect, text, checked, backlog, added),
        review,
        version=active.number + 1,
        affected=impact.impact.affected if impact else None,
        at_most=affected_workloads(before, policy, changes, checked.facts.live, backlog),
        back_to=None,
        was_sent=was_sent,
    )
    return Preview(
        context={
            "diff": rows,
            "impact": impact,
            "outcomes": outcome_lines(impact) if impact else (),
            "confirmation": confirmation,
            "added_warnings": added,
            "most_live": MOST_LIVE,
        },
        impact=impact,
    )
