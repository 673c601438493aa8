"""Findings of a search for changes as JSON: with ids only, because names depend on the reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from console.engine.counterfactual import Findings
from console.engine.counterfactual.change import Change, ChangeKind, QuotaNumber, Value
from console.engine.model.amounts import UNLIMITED, Unlimited
from console.engine.model.origin import Origin

#: JSON of an unlimited amount; no label, code or number has this form.
_UNLIMITED: Final = {"unlimited": True}

#: Fields of a change with ids.
_IDS: Final = ("workloads", "who_loses", "who_waits")


def findings_to_json(found: Findings) -> dict[str, Any]:
    """Return *found* as JSON values."""
    return {
        "changes": [_change_to_json(each) for each in found.changes],
        "in_vain": [kind.value for kind in found.in_vain],
        "evaluations": found.evaluations,
        "tried": found.tried,
        "untried": found.untried,
    }


def findings_from_json(stored: Mapping[str, Any]) -> Findings:
    """Return the findings of a value of `findings_to_json`."""
    return Findings(
        changes=tuple(_change_from_json(each) for each in stored["changes"]),
        in_vain=tuple(ChangeKind(each) for each in stored["in_vain"]),
        evaluations=stored["evaluations"],
        tried=stored["tried"],
        untried=stored["untried"],
    )


def _change_to_json(change: Change) -> dict[str, Any]:
    written = {field.name: getattr(change, field.name) for field in fields(change)}
    written["from_"], written["to"] = _value(change.from_), _value(change.to)
    written["origin"] = None if change.origin is None else asdict(change.origin)
    return written | {name: list(written[name]) for name in _IDS}


def _change_from_json(stored: Mapping[str, Any]) -> Change:
    read = dict(stored) | {name: tuple(stored[name]) for name in _IDS}
    for name in ("from_", "to"):
        read[name] = UNLIMITED if read[name] == _UNLIMITED else read[name]
    read["kind"], read["number"] = ChangeKind(read["kind"]), QuotaNumber(read["number"])
    read["origin"] = None if read["origin"] is None else Origin(**read["origin"])
    return Change(**read)


def _value(value: Value) -> Any:
    return _UNLIMITED if isinstance(value, Unlimited) else value
