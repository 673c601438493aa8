"""
Three-way merge of config texts in any language: theirs and yours, both begun from base.

Texts are merged object by object where their readings say which lines are whose, and line
by line otherwise. A merge counts as safe only when the merged text reads without errors and
means exactly what both changes mean together.
"""

from console.dialects.merging.pieces import Choice, Merge, Piece, Renamed, Verdict
from console.dialects.merging.three_way import merge_configs

__all__ = ["Choice", "Merge", "Piece", "Renamed", "Verdict", "merge_configs"]
