"""Celery tasks of configs; each calls one service."""

from __future__ import annotations

from celery import Task, shared_task

from console.configs.services.carry_out_changes import carry_out_due
from console.configs.services.find_impact import FIND_IMPACT
from console.configs.services.measure_effects import measure_effects
from console.configs.services.revert_unconfirmed import revert_unconfirmed
from console.configs.services.run_impact import WORKER_GONE, fail_impact, run_impact
from console.configs.services.sweep_impacts import forget_impacts, sweep_impacts


@shared_task(name="console.configs.tasks.revert")
def revert() -> None:
    """Revert versions that were not confirmed in time."""
    revert_unconfirmed()


@shared_task(name="console.configs.tasks.carry_out")
def carry_out() -> None:
    """Carry out the scheduled changes whose time has come."""
    carry_out_due()


@shared_task(name=FIND_IMPACT, bind=True)
def find_impact(self: Task[[int], None], run_id: int) -> None:
    """Compute one impact run; a redelivered one that has begun fails, as its worker has died."""
    if self.request.delivery_info and self.request.delivery_info.get("redelivered"):
        fail_impact(run_id, WORKER_GONE)
    run_impact(run_id)


@shared_task(name="console.configs.tasks.sweep_impact_runs")
def sweep_impact_runs() -> None:
    """Enqueue or fail impact runs without progress."""
    sweep_impacts()


@shared_task(name="console.configs.tasks.tidy_impact_runs")
def tidy_impact_runs() -> None:
    """Delete expired impact runs."""
    forget_impacts()


@shared_task(name="console.configs.tasks.measure")
def measure() -> None:
    """Store the effects of versions whose first day has passed."""
    measure_effects()
