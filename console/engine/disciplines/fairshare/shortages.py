"""Why a pod has no node: how many nodes lack what it needs, or exclude it."""

from __future__ import annotations

from collections import Counter

from console.engine.disciplines.fairshare.gangs import Pod
from console.engine.disciplines.fairshare.nomination import NodeShortage
from console.engine.disciplines.fairshare.session import Job, Session


def shortages(session: Session, job: Job, pod: Pod) -> tuple[NodeShortage, ...]:
    """
    Return why the nodes have no room for *pod* now, the most frequent cause first.

    A node that lacks several resources counts for each of them; one that excludes the pod by labels
    or taints, or accepts no pods, counts for that alone.
    """
    causes: Counter[str] = Counter()
    allowed = None if job.allowed is None else set(job.allowed[job.group_of(pod).name])
    for key, room in session.rooms.items():
        if not session.spec.includes(room.node):
            continue
        if not room.accepts:
            causes["not_ready"] += 1
        elif allowed is not None and key not in allowed:
            causes["constraints"] += 1
        else:
            causes.update(room.shortages(pod.need))
    return tuple(
        NodeShortage(cause=cause, nodes=count)
        for cause, count in sorted(causes.items(), key=lambda each: (-each[1], each[0]))
    )
