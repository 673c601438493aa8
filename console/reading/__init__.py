"""Validation of input: fields of JSON requests and forms, and query parameters."""

from console.reading.fields import (
    LARGEST_AMOUNT,
    LARGEST_INTEGER,
    Reader,
    is_storable,
    join,
    printable,
)
from console.reading.query import QueryReader

__all__ = [
    "LARGEST_AMOUNT",
    "LARGEST_INTEGER",
    "QueryReader",
    "Reader",
    "is_storable",
    "join",
    "printable",
]
