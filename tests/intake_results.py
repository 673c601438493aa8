"""Results of accepted requests: the engine applies all intake, and the workloads can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.db.models import Q
from django.test import Client

from console.orgs.models import Organization
from console.workloads.lease import look
from console.workloads.models import Engine, Intake, State, Workload
from console.workloads.services.load_state import load_state
from console.workloads.services.run_engine import forget_states, run_engine

#: Workloads of one organization that are looked at.
_MOST: Final = 3

#: What tells of a workload, whatever became of it.
_READERS: Final = (
    "/api/v1/orgs/{org}/workloads/{uid}",
    "/api/v1/orgs/{org}/workloads/{uid}/explanation",
    "/o/{org}/workloads/{uid}",
)

#: Where a workload is that nothing was said about yet.
_UNDECIDED: Final = Q(state=State.PENDING, pending_class=None)


def carry_out() -> list[Workload]:
    """
    Run the engine of everybody of whom something was accepted, and return some workloads.

    Those that were named, or else some that wait or run.

    An engine that raises would raise again whenever it is run, and so stop its organization for
    good. Fails, too, unless each has nothing left to do, everything is decided or waits, and a
    worker that reads the rows anew finds nothing to decide in them.
    """
    asked = Intake.objects.order_by("org").values_list("org", flat=True).distinct()
    found = []
    for org in Organization.objects.filter(pk__in=list(asked)):
        forget_states()
        keys = _named(org)
        ran = run_engine(org.pk, seconds=60)
        forget_states()
        assert not ran.is_cut_short
        assert not look(org.pk).has_work
        assert not Workload.objects.filter(_UNDECIDED, org=org).exists()
        version = Engine.objects.values_list("config_version", flat=True).get(org=org)
        assert load_state(org, version).settle() == []
        is_meant = Q(pk__in=keys) if keys else Q(state__in=(State.PENDING, State.ADMITTED))
        found += Workload.objects.filter(is_meant, org=org).select_related("org")[:_MOST]
    return found


def _named(org: Organization) -> list[int]:
    """Return the keys of the workloads that the organization's intake names."""
    payloads = Intake.objects.filter(org=org).values_list("payload", flat=True)
    return [key for payload in payloads for key in payload.get("ids", ())]


def read_back(workloads: Sequence[Workload], api: Client, browser: Client) -> None:
    """Read *workloads* over the API and on pages, as members who may read all of them."""
    for workload in workloads:
        for reader in _READERS:
            address = reader.format(org=workload.org.slug, uid=workload.uid)
            client = api if address.startswith("/api/") else browser
            assert client.get(address).status_code == 200, address
