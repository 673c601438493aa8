"""
Three-way merge of config texts in any language: base, and two changes of it, theirs and yours.

Texts are merged object by object if their readings state the lines of each object, and line by line
otherwise. A merge is safe only if the merged text reads without errors and has exactly the meaning
of both changes together.
"""

from console.dialects.merging.pieces import Choice, Merge, Piece, Renamed, Verdict
from console.dialects.merging.three_way import merge_configs

__all__ = ["Choice", "Merge", "Piece", "Renamed", "Verdict", "merge_configs"]
