"""Options of the rule tester's forms (configs and labels), and the configs that they select."""

from __future__ import annotations

from collections.abc import Sequence

from console.configs.compiled_configs import CompiledConfig, find_compiled_config
from console.configs.errors import ConfigRejected
from console.configs.models import Draft
from console.configs.queries import drafts_of, get_draft
from console.engine.disciplines import load_discipline
from console.engine.model.policy import Policy
from console.engine.routing.rule_routing import rules_of
from console.errors import BadRequest, FieldError, NotFound
from console.orgs.models import Organization
from console.pages.tester_query import TesterQuery
from console.policies.queries import versions
from console.workloads.queries.labels import seen_labels

#: Maximum options of a form: the newest versions and drafts each, label keys, label values.
_OFFERED, _KEYS, _VALUES = 20, 200, 300


def tested_configs(
    org: Organization, query: TesterQuery, errors: list[FieldError]
) -> list[CompiledConfig]:
    """Return the configs to test with; errors of missing or invalid ones are added to *errors*."""
    found = []
    for field, name in (("config", query.config), ("beside", query.beside)):
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
    title = name.replace("-", " ").capitalize() if name.startswith("draft-") else f"Version {name}"
    return f"{title} has errors and cannot be tested: {first.message}"


def draft_of(org: Organization, name: str) -> Draft | None:
    """Return the draft of a name such as ``draft-7``; None for other names and missing drafts."""
    number = name.removeprefix("draft-")
    if number == name or not (number.isascii() and number.isdigit() and len(number) < 10):
        return None
    try:
        return get_draft(org, int(number))
    except NotFound:
        return None


def form_options(org: Organization, configs: Sequence[CompiledConfig]) -> dict[str, object]:
    """Return the options of the form: configs, and labels of workloads and of selectors."""
    labels = {key: dict.fromkeys(values) for key, values in seen_labels(org).items()}
    for config in configs:
        for key, values in _selector_labels(config.policy).items():
            labels.setdefault(key, {}).update(values)
    disciplines = [(load_discipline(each.policy.discipline), each.policy) for each in configs]
    return {
        "configs": _configs(org, configs),
        "places_on_clusters": any(each.reads_inventory for each, _ in disciplines),
        "reads_users": any(each.policy.routing.reads_users for each in configs),
        "templates": list(
            dict.fromkeys(name for each, policy in disciplines for name in each.templates(policy))
        )[:_VALUES],
        "label_keys": sorted(labels)[:_KEYS],
        "label_values": sorted({value for values in labels.values() for value in values})[:_VALUES],
    }


def _configs(
    org: Organization, configs: Sequence[CompiledConfig]
) -> list[tuple[str, list[tuple[str, str]]]]:
    """Return (name for `find_compiled_config`, title) of the configs to test, by group."""
    drafts = {
        f"draft-{draft.pk}": f"Draft {draft.pk}{': ' if draft.title else ''}{draft.title[:40]}"
        for draft in drafts_of(org)[:_OFFERED]
    }
    numbers = versions(org).values_list("number", flat=True)[:_OFFERED]
    applied = {str(number): f"Version {number}" for number in numbers}
    for config in configs:
        if config.draft is not None:
            drafts.setdefault(config.name, f"Draft {config.draft}")
        elif config.name != "active":
            applied.setdefault(config.name, f"Version {config.version}")
    groups = [("Drafts", list(drafts.items())), ("Versions", list(applied.items()))]
    return [(title, options) for title, options in groups if options]


def _selector_labels(policy: Policy) -> dict[str, dict[str, None]]:
    labels: dict[str, dict[str, None]] = {}
    for selector in (
        *(rule.selector for rule in rules_of(policy)),
        *policy.spec.selectors().values(),
    ):
        for each in selector.expressions:
            labels.setdefault(each.key, {}).update(dict.fromkeys(each.values))
    return labels
