"""Differences: two policies object by object, and two texts line by line, as values."""

from console.engine.diff.compare import compare_policies
from console.engine.diff.effective import effective_text
from console.engine.diff.flows import Flow, Flows, flows_between
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
from console.engine.diff.words import Piece

__all__ = [
    "Change",
    "ChangeKind",
    "Detail",
    "DiffRow",
    "FieldChange",
    "Flow",
    "Flows",
    "Followed",
    "Limit",
    "Line",
    "Noun",
    "OrderChange",
    "Piece",
    "Plain",
    "QuotaChange",
    "SplitRow",
    "compare_policies",
    "effective_text",
    "flows_between",
    "side_by_side",
    "text_diff",
]
