"""A history of config versions: a few that were applied, and many copies of those."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.utils import timezone

from console.configs.models import ActiveConfig, ConfigVersion, VersionChange
from console.configs.services.apply_config import apply_config
from console.orgs.permissions import Actor
from tests.worlds.large_config import config

VERSIONS: Final = 120

#: Hours between versions.
_HOURS: Final = 6


def apply_versions(owner: Actor) -> None:
    """Create config versions up to `VERSIONS`; most are copies of the third and fourth."""
    texts = [config(default) for default in (50, 40, 60, 40)]
    for number, text in enumerate(texts):
        apply_config(owner, "native", text, f"Take {number + 1}", number)
    odd, even = ConfigVersion.objects.filter(org=owner.org, number__gte=3).order_by("number")
    changes = {
        version.number: list(VersionChange.objects.filter(org=owner.org, version=version.number))
        for version in (odd, even)
    }
    rows, changed = [], []
    for number in range(len(texts) + 1, VERSIONS):
        original = odd if number % 2 else even
        row = ConfigVersion(
            org=owner.org,
            number=number,
            dialect=original.dialect,
            text=original.text,
            message=f"Take {number}",
            author=owner.name,
        )
        rows.append(row)
        changed += [
            VersionChange(
                org=owner.org,
                version=number,
                kind=change.kind,
                noun=change.noun,
                name=change.name,
                old_name=change.old_name,
                details=change.details,
            )
            for change in changes[original.number]
        ]
    ConfigVersion.objects.bulk_create(rows)
    VersionChange.objects.bulk_create(changed)
    now = timezone.now()
    made = ConfigVersion.objects.filter(org=owner.org).order_by("number")
    for version in made.only("pk", "number"):
        at = now - timedelta(hours=_HOURS * (VERSIONS - version.number))
        ConfigVersion.objects.filter(pk=version.pk).update(created_at=at)
    ActiveConfig.objects.filter(org=owner.org).update(number=VERSIONS - 1)
    text = (even, odd)[VERSIONS % 2].text
    apply_config(owner, "native", text, f"Take {VERSIONS}", VERSIONS - 1)
