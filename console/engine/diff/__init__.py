"""Differences: two policies object by object, and two texts line by line, as values."""

from console.engine.diff.compare import compare_policies
from console.engine.diff.lines import DiffRow, Line, SplitRow, side_by_side, text_diff
from console.engine.diff.values import (
    Change,
    ChangeKind,
    Detail,
    FieldChange,
    Followed,
    Limit,
    Noun,
    OrderChange,
    Plain,
    QuotaChange,
)

__all__ = [
    "Change",
    "ChangeKind",
    "Detail",
    "DiffRow",
    "FieldChange",
    "Followed",
    "Limit",
    "Line",
    "Noun",
    "OrderChange",
    "Plain",
    "QuotaChange",
    "SplitRow",
    "compare_policies",
    "side_by_side",
    "text_diff",
]
