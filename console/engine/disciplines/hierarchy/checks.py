"""The comparisons of a request with limits and maxima: the one that refuses it, or all of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from console.engine.disciplines.hierarchy.applications import Application, AppState
from console.engine.disciplines.hierarchy.live_partition import LivePartition
from console.engine.disciplines.hierarchy.nomination import Check, Stage
from console.engine.disciplines.hierarchy.queue_usage import QueueUsage
from console.engine.disciplines.hierarchy.resources import NOTHING, Resources, is_zero, plus, times
from console.engine.disciplines.hierarchy.scheduler import Refused
from console.engine.disciplines.hierarchy.users import Level


def refusing_check(partition: LivePartition, refused: Refused) -> Check | None:
    """Return the comparison that refuses an application; None: no number does."""
    if refused.queue is not None:
        if refused.stage is Stage.APPLICATION_LIMIT_QUEUE:
            return _applications_of_queue(partition, refused.queue)
        checks = _resources_of_queue(partition, refused.queue, refused.amount)
    elif refused.level is not None:
        if refused.stage in (Stage.APPLICATION_LIMIT_USER, Stage.APPLICATION_LIMIT_GROUP):
            return _applications_of_level(partition, refused.level)
        checks = _resources_of_level(partition, refused.level, refused.amount)
    else:
        return None
    return next(each for each in checks if not each.passes)


def all_checks(partition: LivePartition, app: Application) -> Iterator[Check]:
    """Yield all comparisons for the pods of an application that start next, as they are made."""
    queues = app.queue.up
    levels = [each for some in partition.users.levels(app) for each in some]
    if app.state is not AppState.RUNNING:
        for queue in reversed(queues):
            if queue.queue.applications:
                yield _applications_of_queue(partition, queue)
        for level in levels:
            if level.bound is not None and level.bound.applications:
                yield _applications_of_level(partition, level)
    amount = _next_amount(app)
    for level in levels:
        yield from _resources_of_level(partition, level, amount)
    for queue in queues:
        yield from _resources_of_queue(partition, queue, amount)


def _next_amount(app: Application) -> Resources:
    """Return the request of one pod, or of the pods that start together."""
    if not app.unit:
        return app.asks[0].resources if app.asks else NOTHING
    total: Resources = NOTHING
    for ask, count in app.unit:
        total = plus(total, times(ask.resources, count))
    return total


def _applications_of_queue(partition: LivePartition, queue: QueueUsage) -> Check:
    return Check(
        stage=Stage.APPLICATION_LIMIT_QUEUE,
        queue=partition.full_name(queue),
        limit=queue.queue.applications,
        used=queue.running + len(queue.accepting),
    )


def _applications_of_level(partition: LivePartition, level: Level) -> Check:
    return Check(
        stage=Stage.APPLICATION_LIMIT_GROUP if level.is_group else Stage.APPLICATION_LIMIT_USER,
        queue=partition.partition.full_name(level.path),
        holder=level.holder,
        limit=level.bound.applications if level.bound is not None else 0,
        used=len(level.use.applications),
    )


def _resources_of_queue(
    partition: LivePartition, queue: QueueUsage, amount: Resources
) -> Iterator[Check]:
    for resource, requested, limit in _compared(amount, queue.queue.maximum or NOTHING):
        yield Check(
            stage=Stage.QUEUE_QUOTA,
            queue=partition.full_name(queue),
            resource=resource,
            requested=requested,
            limit=limit,
            used=queue.allocated.get(resource, 0),
        )


def _resources_of_level(
    partition: LivePartition, level: Level, amount: Resources
) -> Iterator[Check]:
    bound = level.bound.resources if level.bound is not None else None
    if is_zero(bound):
        return
    for resource, requested, limit in _compared(amount, bound or NOTHING):
        yield Check(
            stage=Stage.GROUP_QUOTA if level.is_group else Stage.USER_QUOTA,
            queue=partition.partition.full_name(level.path),
            holder=level.holder,
            resource=resource,
            requested=requested,
            limit=limit,
            used=level.use.resources.get(resource, 0),
        )


def _compared(amount: Resources, limits: Mapping[str, int]) -> Iterator[tuple[str, int, int]]:
    for resource, requested in amount.items():
        if resource in limits:
            yield resource, requested, limits[resource]
