"""Load and store the usage history of an organization, if its policy reads one."""

from __future__ import annotations

from console.engine.state import State
from console.orgs.models import Organization
from console.workloads import models
from console.workloads.queries.usage_history import usage_history_of


def load_usage_history(state: State, org: Organization) -> None:
    """Give *state* the stored usage history; costs nothing if its policy reads none."""
    if state.reads_usage_history:
        history = usage_history_of(org)
        if history is not None:
            state.change_usage_history(history)


def store_usage_history(state: State, org_id: int) -> None:
    """
    Store the usage history of *state*, or delete it if the policy reads none.

    An organization has a row exactly while its policy reads one, so that it is measured.
    """
    history = state.usage_history
    if state.reads_usage_history:
        columns = {
            "measured_at": history and history.measured_at,
            "parts": history.parts if history else {},
        }
        models.UsageHistory.objects.update_or_create(org_id=org_id, defaults=columns)
    else:
        models.UsageHistory.objects.filter(pk=org_id).delete()
