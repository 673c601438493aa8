"""Workloads of an organization that a list of keys finds."""

from __future__ import annotations

from django.db.models import BigIntegerField, ExpressionWrapper, F, QuerySet

from console.orgs.models import Organization
from console.workloads.models import Workload

#: Not the column, which indexes begin with.
_OWNER = ExpressionWrapper(F("org_id") + 0, output_field=BigIntegerField())


def keyed(rows: QuerySet[Workload], org: Organization) -> QuerySet[Workload]:
    """
    Return those of *rows* that belong to *org*, where a list of their keys was asked for.

    To more than a few keys SQLite knows no better way than an index that begins with the
    organization, and goes through all that it has; this condition leads to no index.
    """
    return rows.alias(owner=_OWNER).filter(owner=org.pk)
