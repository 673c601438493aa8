"""Response bodies of workloads, decisions, events and explanations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.api.answers.configs import range_answer
from console.api.answers.times import time_answer
from console.engine.counterfactual.change import Change, ChangeKind, Value
from console.engine.explain import Sentence, StageText
from console.engine.model.amounts import Unlimited, amount_to_number, decode_amount
from console.engine.model.policy import Policy
from console.engine.model.workload import PODS
from console.engine.wording.reasons import reason_message
from console.policies.queries import NO_POLICY
from console.workloads.advice import Advice
from console.workloads.explanations import Explained
from console.workloads.models import Decision, SearchRun, Workload
from console.workloads.queries import reason_of
from console.workloads.queries.decisions import ReasonRecord
from console.workloads.run_ends import run_ends_at
from console.workloads.stored_assignments import stored_flavors
from console.workloads.stored_facts import decode_facts
from console.workloads.stored_pod_sets import decode_pod_sets
from console.workloads.submitted_pod_sets import pod_set_fields

#: Names of the numbers in a sentence that are counts or positions; all others are amounts.
_COUNTS = frozenset({"position", "pending", "alike", "cannot_run"})


def workload_answer(
    workload: Workload,
    position: int | None = None,
    policy: Policy | None = None,
    active: Policy | None = None,
) -> dict[str, Any]:
    """
    Return a workload from `workload_rows`; *position* is its position in the queue.

    *policy* is the policy that admitted the workload, and *active* the active one, which matters
    for running workloads. Both are None in lists, which omit node selectors and tolerations of
    flavors, and the end of a run time that a label requests.
    """
    reason = reason_of(workload)
    missing: Mapping[str, int] | None = workload.missing  # type: ignore[attr-defined]
    facts = decode_facts(workload.facts)
    return {
        "id": workload.uid,
        "name": workload.name,
        "type": workload.type,
        "labels": workload.labels,  # type: ignore[attr-defined]
        "priority": {"requested": workload.requested_priority, "effective": workload.priority},
        "requests": amounts_answer(workload.requests),
        "pod_sets": [
            pod_set_fields(pod_set)
            for pod_set in decode_pod_sets(workload.pod_sets, workload.requests)
        ],
        "finished_pods": _finished_pods(workload),
        "state": workload.state,
        "queue": workload.queue,
        "queue_position": position,
        "flavors": stored_flavors(workload.assignment),
        "assignment": [
            {**each, **_additions(each["flavors"], policy)} for each in workload.assignment
        ],
        "reason": {"code": reason, "message": reason_message(reason, missing)},
        "preemptor": workload.preemptor,
        "config_version": workload.config_version,
        "rule_index": workload.rule_index,
        "submitted_at": time_answer(workload.submitted_at),
        "admitted_at": time_answer(workload.admitted_at),
        "ended_at": time_answer(workload.ended_at),
        "preemptions": workload.preemptions,
        "user": workload.user,
        "groups": workload.groups,
        "project": workload.project,
        "namespace": workload.namespace,
        "preemptible": facts.is_preemptible,
        "placement": facts.placement,
        "active": workload.inactive is None,
        "max_run_seconds": None if workload.max_run_time is None else workload.max_run_time // 1000,
        "run_ends_at": time_answer(run_ends_at(workload, active)),
    }


def _finished_pods(workload: Workload) -> dict[str, int]:
    """Return the number of finished pods by pod set, without zeros."""
    remaining: dict[str, int] = workload.remaining_pods or {}
    if not remaining:
        return {}
    pod_sets = decode_pod_sets(workload.pod_sets, workload.requests)
    finished = {each.name: each.count - remaining.get(each.name, each.count) for each in pod_sets}
    return {name: count for name, count in finished.items() if count}


def amounts_answer(amounts: Mapping[str, int]) -> dict[str, int | float | None]:
    """Return amounts by resource as JSON numbers in their units."""
    return {resource: amount_to_number(amount) for resource, amount in amounts.items()}


def decision_answer(decision: Decision, policies: Mapping[int, Policy]) -> dict[str, Any]:
    """Return a decision of the feed; *policies* maps version numbers to policies."""
    policy = policies.get(decision.config_version, NO_POLICY)

    def with_launch(flavors: Mapping[str, str]) -> dict[str, dict[str, Any]]:
        return {
            resource: {
                "flavor": name,
                "launch_config": policy.spec.launch_config_of(name),
            }
            for resource, name in flavors.items()
        }

    return {
        "seq": decision.pk,
        "workload": {
            "id": decision.workload_uid,  # type: ignore[attr-defined]
            "name": decision.workload_name,  # type: ignore[attr-defined]
        },
        "outcome": decision.outcome,
        "reason": decision.reason,
        "queue": decision.queue,
        "priority": decision.priority,
        "config_version": decision.config_version,
        "rule_index": decision.rule_index,
        "flavors": with_launch(stored_flavors(decision.assignment)),
        "assignment": [
            {
                **each,
                "flavors": with_launch(each["flavors"]),
                **_additions(each["flavors"], policy),
            }
            for each in decision.assignment
        ],
        "victims": decision.victims,
        "preemptor": decision.preemptor,
        "resize": decision.resize,
        "created_at": time_answer(decision.created_at),
    }


def _additions(flavors: Mapping[str, str], policy: Policy | None) -> dict[str, Any]:
    """Return the node selector and tolerations that *flavors* add to pods; null without policy."""
    if policy is None:
        return {"node_selector": None, "tolerations": None}
    added = policy.spec.pod_additions(flavors)
    return {
        "node_selector": dict(added.node_selector),
        "tolerations": [
            {
                "key": each.key,
                "operator": each.operator,
                "value": each.value,
                "effect": each.effect,
                "tolerationSeconds": each.seconds,
            }
            for each in added.tolerations
        ],
    }


def explanation_answer(
    workload: Workload, explained: Explained, found: Advice, record: ReasonRecord
) -> dict[str, Any]:
    """Return the explanation of a workload; ranges refer to the text of its config version."""
    stages = explained.explanation.stages
    return {
        "workload": workload.uid,
        "config_version": explained.config_version,
        "evaluated_at": time_answer(explained.evaluated_at),
        "live": explained.live,
        "reason": explained.explanation.reason,
        "since": time_answer(record.since),
        "count": record.count,
        "headline": explained.explanation.headline,
        "sentences": [sentence.text for stage in stages for sentence in stage.sentences],
        "stages": [stage_answer(stage) for stage in stages],
        "changes": [_change(change, sentence) for change, sentence in found.changes],
        "changes_version": found.config_version,
        "does_not_help": found.in_vain,
        "candidates": {"tried": found.tried, "total": found.tried + found.untried},
        "is_complete": not found.untried,
    }


def search_answer(run: SearchRun, found: Advice | None) -> dict[str, Any]:
    """Return the progress of a complete search, and its result once it is done."""
    return {
        "state": run.state,
        "candidates": {"tried": run.tried, "total": run.total},
        "error": run.error,
        "created_at": time_answer(run.created_at),
        "ended_at": time_answer(run.ended_at),
        "config_version": run.config_version,
        "changes": [_change(change, each) for change, each in found.changes] if found else [],
        "does_not_help": found.in_vain if found else "",
        "is_complete": found is not None and not found.untried,
    }


def _change(change: Change, sentence: Sentence) -> dict[str, Any]:
    return {
        "kind": change.kind.value,
        "text": sentence.text,
        "subject": change.subject,
        "from": _value(change, change.from_),
        "to": _value(change, change.to),
        "queue": change.queue,
        "cluster": change.cluster,
        "template": change.template,
        "number": change.number.value if change.kind is ChangeKind.QUOTA else None,
        "holder": change.holder or None,
        "pod_set": change.pod_set,
        "workloads": list(change.workloads),
        "who_loses": list(change.who_loses),
        "who_waits": list(change.who_waits),
        "starts": "later" if change.is_later else "now",
        "range": range_answer(change.origin),
    }


def _value(change: Change, value: Value) -> int | float | str | None:
    """Return the old or new value of a change; amounts in their unit, null for unlimited."""
    if isinstance(value, Unlimited):
        return None
    is_amount = change.kind is ChangeKind.QUOTA or (
        change.kind is ChangeKind.ASK_LESS and change.subject != PODS
    )
    return amount_to_number(value) if is_amount and isinstance(value, int) else value


def stage_answer(stage: StageText) -> dict[str, Any]:
    """Return one stage of an explanation."""
    origins = (sentence.origin for sentence in stage.sentences if sentence.origin)
    return {
        "stage": stage.stage,
        "verdict": stage.verdict.value,
        "range": range_answer(next(origins, None)),
        "sentences": [_sentence(sentence) for sentence in stage.sentences],
    }


def _sentence(sentence: Sentence) -> dict[str, Any]:
    return {
        "text": sentence.text,
        "verdict": sentence.verdict.value,
        "numbers": {name: _number(name, value) for name, value in sentence.numbers.items()},
        "workloads": list(sentence.workloads),
        "range": range_answer(sentence.origin),
    }


def _number(name: str, value: int | str) -> int | float | None:
    return int(value) if name in _COUNTS else amount_to_number(decode_amount(value))
