"""Checks of accepted requests: apply all intake with the engine, and read the workloads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db.models import Q
from django.test import Client

from console.orgs.models import Organization
from console.workloads.lease import read_engine_row
from console.workloads.models import Engine, Intake, State, Workload
from console.workloads.services.load_state import load_state
from console.workloads.services.run_engine import forget_states, run_engine

#: Most workloads of one organization that are returned.
_MOST: Final = 3

#: Addresses that show a workload in any state.
_READERS: Final = (
    "/api/v1/orgs/{org}/workloads/{uid}",
    "/api/v1/orgs/{org}/workloads/{uid}/explanation",
    "/o/{org}/workloads/{uid}",
)

#: Workloads without any decision.
_UNDECIDED: Final = Q(state=State.PENDING, pending_class=None)


def apply_all_intake() -> list[Workload]:
    """
    Run the engine of each organization with intake, and return some of its workloads.

    The returned workloads are those that the intake names, or else some pending or running ones.

    An engine that raises would raise again on each run, and so stop its organization for good.
    Fails, too, if an engine has work left, if a workload has no decision, or if a worker that reads
    the rows anew finds anything to decide.
    """
    asked = Intake.objects.order_by("org").values_list("org", flat=True).distinct()
    found = []
    for org in Organization.objects.filter(pk__in=list(asked)):
        forget_states()
        keys = _named(org)
        ran = run_engine(org.pk, seconds=60)
        forget_states()
        assert not ran.is_cut_short
        assert not read_engine_row(org.pk).has_work
        assert not Workload.objects.filter(_UNDECIDED, org=org).exists()
        version = Engine.objects.values_list("config_version", flat=True).get(org=org)
        assert load_state(org, version).settle() == []
        is_meant = Q(pk__in=keys) if keys else Q(state__in=(State.PENDING, State.ADMITTED))
        found += Workload.objects.filter(is_meant, org=org).select_related("org")[:_MOST]
    return found


def _named(org: Organization) -> list[int]:
    """Return the keys of the workloads that the intake of an organization names."""
    payloads = Intake.objects.filter(org=org).values_list("payload", flat=True)
    return [key for payload in payloads for key in payload.get("ids", ())]


def read_back(workloads: Sequence[Workload], api: Client, browser: Client) -> None:
    """Read *workloads* over the API and on pages, as members who may read all workloads."""
    for workload in workloads:
        for reader in _READERS:
            address = reader.format(org=workload.org.slug, uid=workload.uid)
            client = api if address.startswith("/api/") else browser
            assert client.get(address).status_code == 200, address
