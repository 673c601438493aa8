"""Text for the details of a config change: fields, values and quota cells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from console.engine.diff import (
    Detail,
    FieldChange,
    Followed,
    Limit,
    OrderChange,
    Plain,
    QuotaChange,
)
from console.engine.diff.objects import Vocabulary, Words
from console.engine.model.amounts import WEIGHT_ONE, Amount, Unlimited
from console.engine.wording.words import cut, expression, quantity

#: Maximum number of shown characters of a value.
_LONGEST = 300

_LIMITS = {
    Limit.NOMINAL: "nominal",
    Limit.BORROWING: "borrowing limit",
    Limit.LENDING: "lending limit",
}

#: Field -> title; other fields are titled by their path.
_FIELDS = {
    ("parent",): "cohort",
    ("index",): "position of the rule",
    ("is_passthrough",): "admits all workloads without quota",
    ("strategy",): "order of admission",
    ("stop",): "stop policy",
    ("fair_weight",): "fair share weight",
    ("namespaces",): "allowed namespaces",
    ("unsupported",): "ignored settings",
    ("preemption", "within_queue"): "preemption within the queue",
    ("preemption", "reclaim_within_cohort"): "reclaim within the cohort",
    ("preemption", "borrow_within_cohort"): "preemption while borrowing",
    ("preemption", "max_priority_threshold"): "highest priority preempted while borrowing",
    ("fungibility", "when_can_borrow"): "next flavor when it can borrow",
    ("fungibility", "when_can_preempt"): "next flavor when it can preempt",
    ("fungibility", "preference"): "flavor preference",
    ("priority", "default"): "default priority",
    ("priority", "minimum"): "lowest priority",
    ("priority", "maximum"): "highest priority",
    ("priority", "on_violation"): "priority outside the range",
    ("groups", "resources"): "resources that share a flavor",
    ("dialect",): "config language",
    ("routing",): "routing by",
    ("default_local_queue",): "default local queue of a namespace",
    ("fair_sharing",): "fair sharing",
    ("undeclared",): "resource without quota",
    ("zeros_take_flavors",): "zero request takes a flavor",
}
#: Mapping field -> title of one entry.
_ENTRIES = {"node_labels": "node label", "launch_config": "instance config", "labels": "label"}

#: Field -> text for a missing value.
_NOTHING = {
    ("parent",): "no cohort",
    ("priority", "minimum"): "open",
    ("priority", "maximum"): "open",
    ("preemption", "max_priority_threshold"): "any",
    ("namespaces",): "none",
    ("default_local_queue",): "none",
}
#: Selector field -> text for an empty selector.
_SELECTORS = {"selector": "every workload", "namespaces": "all"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DetailLine:
    """One detail of a change: title, old value, new value and difference; empty: not shown."""

    what: str
    old: str = ""
    new: str = ""
    delta: str = ""

    @property
    def text(self) -> str:
        """The detail as one line of text."""
        if self.old and self.new:
            by = f" ({self.delta})" if self.delta else ""
            return f"{self.what} {self.old} → {self.new}{by}"
        return " ".join(part for part in (self.what, self.old, self.new) if part)


def detail_line(
    detail: Detail, vocabulary: Vocabulary, *, has_old: bool = True, has_new: bool = True
) -> DetailLine:
    """Return the text of *detail*, without the value of a side that does not have the object."""
    match detail:
        case QuotaChange():
            what, old, new, delta = _quota(detail)
        case FieldChange():
            what, old, new = _field(detail)
            delta = _step(detail)
        case OrderChange():
            what = f"order of flavors for {cut(detail.resources)}"
            old, new, delta = ", ".join(detail.old), ", ".join(detail.new), ""
        case Followed():
            return DetailLine(what=f"{followed_name(detail, vocabulary)} uses the new name")
        case _:
            assert_never(detail)
    return DetailLine(
        what=what,
        old=old if has_old else "",
        new=new if has_new else "",
        delta=delta if has_old and has_new else "",
    )


def followed_name(followed: Followed, vocabulary: Vocabulary) -> str:
    """Return the description of an object that refers to the renamed one."""
    words = vocabulary.of(followed.noun)
    return f"{words.singular} {counted_name(words, followed.name)}"


def counted_name(words: Words, name: str) -> str:
    """
    Return the name of an object with its index counted from 1, as shown to users.

    >>> counted_name(Words("rule", "rules", is_counted=True), "0 to research")
    '1 to research'
    >>> counted_name(Words("queue", "queues"), "lab")
    'lab'
    """
    index, _, rest = name.partition(" ")
    if not words.is_counted or not index.isdigit():
        return name
    return f"{int(index) + 1} {rest}".rstrip()


def signed(change: int, resource: str) -> str:
    """
    Return the text of a difference of amounts, with its sign.

    >>> signed(-16000, "gpu"), signed(500, "cpu")
    ('−16', '+0.5')
    """
    return f"{'−' if change < 0 else '+'}{quantity(abs(change), resource)}"


def _quota(detail: QuotaChange) -> tuple[str, str, str, str]:
    old, new = detail.old, detail.new
    delta = ""
    if isinstance(old, int) and isinstance(new, int):
        delta = signed(new - old, detail.resource)
    what = f"{detail.flavor} / {detail.resource} {_LIMITS[detail.limit]}"
    return what, _amount(old, detail), _amount(new, detail), delta


def _amount(value: Amount | None, detail: QuotaChange) -> str:
    if value is None:
        return "none"
    return "unlimited" if isinstance(value, Unlimited) else quantity(value, detail.resource)


def _step(detail: FieldChange) -> str:
    """Return the difference of a priority or a number; empty for other fields."""
    old, new = detail.old, detail.new
    if detail.path[0] not in ("priority", "value") or isinstance(old, bool):
        return ""
    if isinstance(old, int) and isinstance(new, int):
        return f"{'−' if new < old else '+'}{abs(new - old)}"
    return ""


def _field(detail: FieldChange) -> tuple[str, str, str]:
    head, *rest = detail.path
    if rest and head in _ENTRIES:
        what = f"{_ENTRIES[head]} {'.'.join(rest)}"
    else:
        what = _FIELDS.get(detail.path, " ".join(detail.path).replace("_", " "))
    return what, _value(detail.path, detail.old), _value(detail.path, detail.new)


def _value(path: tuple[str, ...], value: Plain) -> str:
    if value is None:
        return _NOTHING.get(path, "none")
    if path == ("fair_weight",) and isinstance(value, int):
        return f"{value / WEIGHT_ONE:g}"
    if path == ("index",) and isinstance(value, int):
        return str(value + 1)
    if path == ("groups", "resources") and isinstance(value, list):
        return "; ".join(_plain(path, group) for group in value) or "none"
    if path[0] in _SELECTORS and isinstance(value, list):
        return " and ".join(map(_expression, value)) or _SELECTORS[path[0]]
    return _cut(_plain(path, value))


def _plain(path: tuple[str, ...], value: Plain) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        # Text from users is shown as it is; in terms of the policy, underscores become spaces.
        is_word = path[0] not in (
            *_ENTRIES,
            "groups",
            "parent",
            "queue",
            "default_local_queue",
            "queue_label",
            "priority_label",
        )
        return (value.replace("_", " ") if is_word else value) or "empty"
    if isinstance(value, Mapping):
        text = ", ".join(f"{key}: {_plain(path, item)}" for key, item in value.items())
        return f"{{{text}}}" if text else "empty"
    if isinstance(value, list):
        return ", ".join(_plain(path, item) for item in value) or "none"
    return str(value)


def _expression(stored: Plain) -> str:
    if not isinstance(stored, Mapping):
        return str(stored)
    values = stored.get("values")
    listed = [str(value) for value in values] if isinstance(values, list) else []
    return expression(str(stored.get("key")), str(stored.get("operator")), listed)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
