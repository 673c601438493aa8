"""What a search for changes found, as JSON: ids alone, so that each reader gets their own names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any, Final

from console.engine.counterfactual import Findings
from console.engine.counterfactual.change import Change, ChangeKind, QuotaNumber, Value
from console.engine.model.amounts import UNLIMITED, Unlimited
from console.engine.model.origin import Origin

#: Stands for no limit, which no label, code or number is written as.
_UNLIMITED: Final = {"unlimited": True}

#: Fields of a change that hold ids.
_IDS: Final = ("workloads", "who_loses", "who_waits")


def findings_to_json(found: Findings) -> dict[str, Any]:
    """Return *found* in values that JSON has."""
    return {
        "changes": [_change_to_json(each) for each in found.changes],
        "in_vain": [kind.value for kind in found.in_vain],
        "evaluations": found.evaluations,
        "tried": found.tried,
        "untried": found.untried,
    }


def findings_from_json(stored: Mapping[str, Any]) -> Findings:
    """Return what `findings_to_json` wrote."""
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
