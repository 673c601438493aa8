"""What an explanation calls another workload whose name its reader may not see."""

from __future__ import annotations


def unnamed(queue: str | None) -> str:
    """
    Return the words for a workload of *queue* that has no name here.

    >>> unnamed("research"), unnamed(None)
    ('another workload of queue research', 'another workload')
    """
    return f"another workload of queue {queue}" if queue is not None else "another workload"
