"""Filter on the organization for queries that already list primary keys or ids."""

from __future__ import annotations

from django.db.models import BigIntegerField, ExpressionWrapper, F, QuerySet

from console.orgs.models import Organization
from console.workloads.models import Workload

#: An expression instead of the column, so that no index on the organization is used.
_OWNER = ExpressionWrapper(F("org_id") + 0, output_field=BigIntegerField())


def in_org(rows: QuerySet[Workload], org: Organization) -> QuerySet[Workload]:
    """
    Return the *rows* that belong to *org*, for a query with a list of keys.

    With more than a few keys, SQLite would use an index that begins with the organization and scan
    all its workloads. This condition matches no index.
    """
    return rows.alias(owner=_OWNER).filter(owner=org.pk)
