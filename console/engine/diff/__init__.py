"""Differences of two policies, object by object, and of two texts, line by line, as values."""

from console.engine.diff.compare import Comparison
from console.engine.diff.effective import write_effective
from console.engine.diff.flows import Flow, Flows
from console.engine.diff.lines import DiffRow, Line, SplitRow, side_by_side, text_diff
from console.engine.diff.values import (
    Change,
    ChangeKind,
    Detail,
    FieldChange,
    Followed,
    Limit,
    OrderChange,
    Plain,
    QuotaChange,
)
from console.engine.diff.words import Piece

__all__ = [
    "Change",
    "ChangeKind",
    "Comparison",
    "Detail",
    "DiffRow",
    "FieldChange",
    "Flow",
    "Flows",
    "Followed",
    "Limit",
    "Line",
    "OrderChange",
    "Piece",
    "Plain",
    "QuotaChange",
    "SplitRow",
    "side_by_side",
    "text_diff",
    "write_effective",
]
