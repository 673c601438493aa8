"""Sets of flavors in assignments, found with one index lookup for each."""

from __future__ import annotations

from typing import Final

from django.db import connection

from console.orgs.models import Organization
from console.workloads.models import Workload
from console.workloads.stored_assignments import flavors_of_text

#: Maximum number of sets; a config has few flavors, and few combinations are assigned.
MOST_SETS: Final = 2000


def flavor_sets(org: Organization, flavor: str) -> list[str]:
    """Return the values of `Workload.flavors` in *org* that contain *flavor*."""
    return [text for text in _sets(org) if flavor in flavors_of_text(text)]


def _sets(org: Organization) -> list[str]:
    table = connection.ops.quote_name(Workload._meta.db_table)
    least = f"SELECT MIN(flavors) FROM {table} WHERE org_id = %s AND flavors"  # noqa: S608
    with connection.cursor() as cursor:
        # Each step looks up the first index entry after the last set.
        cursor.execute(
            f"WITH RECURSIVE found(flavors) AS ({least} IS NOT NULL UNION ALL "  # noqa: S608
            f"SELECT ({least} > found.flavors) FROM found WHERE found.flavors IS NOT NULL) "
            "SELECT flavors FROM found WHERE flavors IS NOT NULL LIMIT %s",
            [org.pk, org.pk, MOST_SETS],
        )
        return [text for (text,) in cursor.fetchall()]
