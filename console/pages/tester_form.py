"""Options of the rule tester's forms, and the configs that the forms select."""

from __future__ import annotations

from collections.abc import Sequence

from console.configs.compiled_configs import CompiledConfig, find_compiled_config
from console.configs.errors import ConfigRejected
from console.configs.models import Draft
from console.configs.queries import drafts_of, get_draft
from console.engine.model.policy import Policy
from console.engine.routing.rule_routing import rules_of
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.models import Organization
from console.pages.tester_query import Asked
from console.policies.queries import versions
from console.workloads.queries.labels import seen_labels

#: Maximum options of a form: the newest versions and drafts each, label keys, label values.
_OFFERED, _KEYS, _VALUES = 20, 200, 300


def subjects_of(org: Organization, asked: Asked, errors: list[FieldError]) -> list[CompiledConfig]:
    """Return the configs to test with; errors of missing or invalid ones are added to *errors*."""
    found = []
    for field, name in (("config", asked.config), ("beside", asked.beside)):
        if not name:
            continue
        try:
            found.append(find_compiled_config(org, name))
        except BadRequest as error:
            errors += [FieldError(field, each.code, each.message) for each in error.errors]
        except NotFound as error:
            errors.append(FieldError(field, "not_found", error.message))
        except ConfigRejected as error:
            errors.append(FieldError(field, error.code, _has_errors(name, error)))
    return found


def _has_errors(name: str, error: ConfigRejected) -> str:
    first = error.reading.errors[0]
    subject = (
        name.replace("-", " ").capitalize() if name.startswith("draft-") else f"Version {name}"
    )
    return f"{subject} has errors and cannot be tested: {first.message}"


def draft_of(org: Organization, name: str) -> Draft | None:
    """Return the draft of a name such as ``draft-7``; None for other names and missing drafts."""
    number = name.removeprefix("draft-")
    if number == name or not (number.isascii() and number.isdigit() and len(number) < 10):
        return None
    try:
        return get_draft(org, int(number))
    except NotFound:
        return None


def offers(org: Organization, subjects: Sequence[CompiledConfig]) -> dict[str, object]:
    """Return the options of the form: configs, and labels of workloads and of selectors."""
    labels = {key: dict.fromkeys(values) for key, values in seen_labels(org).items()}
    for subject in subjects:
        for key, values in _asked_for(subject.policy).items():
            labels.setdefault(key, {}).update(values)
    return {
        "configs": _configs(org, subjects),
        "label_keys": sorted(labels)[:_KEYS],
        "label_values": sorted({value for values in labels.values() for value in values})[:_VALUES],
    }


def _configs(
    org: Organization, subjects: Sequence[CompiledConfig]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return (name for `find_compiled_config`, title) of the configs to test, by group."""
    drafts = {
        f"draft-{draft.pk}": f"Draft {draft.pk}{': ' if draft.title else ''}{draft.title[:40]}"
        for draft in drafts_of(org)[:_OFFERED]
    }
    numbers = versions(org).values_list("number", flat=True)[:_OFFERED]
    applied = {str(number): f"Version {number}" for number in numbers}
    for subject in subjects:
        if subject.draft is not None:
            drafts.setdefault(subject.name, f"Draft {subject.draft}")
        elif subject.name != "active":
            applied.setdefault(subject.name, f"Version {subject.version}")
    groups = [("Drafts", list(drafts.items())), ("Versions", list(applied.items()))]
    return [(title, options) for title, options in groups if options]


def _asked_for(policy: Policy) -> dict[str, dict[str, None]]:
    asked: dict[str, dict[str, None]] = {}
    for selector in (
        *(rule.selector for rule in rules_of(policy)),
        *policy.spec.selectors().values(),
    ):
        for each in selector.expressions:
            asked.setdefault(each.key, {}).update(dict.fromkeys(each.values))
    return asked
