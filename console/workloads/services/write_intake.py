"""Write a request to an organization's engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.bulk import insert_objects
from console.workloads import wakeup
from console.workloads.models import Intake


def write_intake(org_id: int, kind: Intake.Kind, payload: Mapping[str, Any], size: int = 1) -> None:
    """
    Write a request about *size* workloads, and wake up the engine after commit.

    *payload* is as in `Intake`. Call this in the transaction of the related changes.
    """
    insert_objects([Intake(org_id=org_id, kind=kind, payload=payload, size=size)]).run()
    wakeup.request_admission(org_id)
