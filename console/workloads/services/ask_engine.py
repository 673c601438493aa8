"""Hand a request to an organization's engine, in the transaction of what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.bulk import insert_objects
from console.workloads import wakeup
from console.workloads.models import Intake


def ask_engine(org_id: int, kind: Intake.Kind, payload: Mapping[str, Any], size: int = 1) -> None:
    """
    Write a request about *size* workloads, and nudge the engine once it is committed.

    *payload* is as in `Intake`. Call it inside a transaction.
    """
    insert_objects([Intake(org_id=org_id, kind=kind, payload=payload, size=size)]).run()
    wakeup.request_admission(org_id)
