"""Substitute names for workloads whose names the reader of an explanation may not see."""

from __future__ import annotations


def hidden_name(queue: str | None) -> str:
    """
    Return the words for a workload of *queue* whose name is hidden.

    >>> hidden_name("research"), hidden_name(None)
    ('another workload of queue research', 'another workload')
    """
    return f"another workload of queue {queue}" if queue is not None else "another workload"
