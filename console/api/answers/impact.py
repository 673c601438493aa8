"""Response bodies of impact runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.api.answers.times import time_answer
from console.configs.disclosed_impact import impact_for_reader
from console.configs.models import ImpactRun
from console.engine.model.amounts import amount_to_number, decode_amount
from console.orgs.permissions import Actor


def impact_answer(actor: Actor, run: ImpactRun) -> dict[str, Any]:
    """Return a run, and its result once it is done, as far as *actor* may see it."""
    return {
        "id": str(run.pk),
        "state": run.state,
        "base": run.base,
        "author": run.author,
        "done": run.done,
        "total": run.total,
        "error": run.error,
        "created_at": time_answer(run.created_at),
        "started_at": time_answer(run.started_at),
        "ended_at": time_answer(run.ended_at),
        "result": None if run.result is None else _result(impact_for_reader(actor, run.result)),
    }


def _result(result: Mapping[str, Any]) -> dict[str, Any]:
    live, history = result["live"], result["history"]
    return {
        "as_of": result["as_of"].replace("+00:00", "Z"),
        "live": {**live, "over": [_over(each) for each in live["over"]]},
        "history": {
            "window_days": history["window_days"],
            "is_complete": history["is_complete"],
            "shapes": history["shapes"],
            "runs": history["runs"],
            "outcomes": history["outcomes"],
            "listed": history["listed"],
            "resources": history["resources"],
            "rows": [_row(each) for each in history["rows"]],
            "doubts": [
                {
                    "kind": each["kind"],
                    "key": each["key"],
                    "rule_indexes": each["rules"],
                    "flavors": each["flavors"],
                    "shapes": each["shapes"],
                    "runs": each["runs"],
                }
                for each in history["doubts"]
            ],
        },
    }


def _over(over: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "queue": over["queue"],
        "flavor": over["flavor"],
        "resource": over["resource"],
        "used": amount_to_number(over["used"]),
        "nominal_before": amount_to_number(decode_amount(over["nominal_before"])),
        "nominal_after": amount_to_number(decode_amount(over["nominal_after"])),
    }


def _row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        # Results of earlier releases have no users.
        "user": "",
        "groups": [],
        **row,
        "requests": {name: amount_to_number(amount) for name, amount in row["requests"].items()},
        "before": _standing(row["before"]),
        "after": _standing(row["after"]),
    }


def _standing(standing: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "queue": standing["queue"],
        "rule_index": standing["rule"],
        "priority": standing["priority"],
        "fit": standing["fit"],
        "reason": standing["reason"],
    }
