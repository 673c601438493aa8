"""Queries of config versions, of the active one, and of the policies compiled from them."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from django.db.models import F, QuerySet

from console.dialects import default_dialect, dialects
from console.dialects.reading_cache import read_cached
from console.engine.model.policy import Policy
from console.errors import NotFound
from console.orgs.models import Organization
from console.policies.models import ActiveConfig, ConfigVersion

#: The policy of an organization before its first apply.
NO_POLICY = default_dialect().empty_policy


def active_number(org: Organization) -> int:
    """Return the number of the active version; 0 before the first apply."""
    return ActiveConfig.objects.values_list("number", flat=True).get(org=org)


def active_version(org: Organization) -> ConfigVersion | None:
    """Return the active version, or None before the first apply."""
    return ConfigVersion.objects.filter(org=org, number=F("org__active_config__number")).first()


def get_version(org: Organization, number: int) -> ConfigVersion:
    """Return version *number*; raises NotFound when there is none."""
    version = ConfigVersion.objects.filter(org=org, number=number).first()
    if version is None:
        raise NotFound(f"There is no version {number} of the config in {org.slug}.")
    return version


def versions(org: Organization) -> QuerySet[ConfigVersion]:
    """Return all versions, newest first."""
    return ConfigVersion.objects.filter(org=org).order_by("-number")


def policy_of(version: ConfigVersion) -> Policy:
    """Return the policy compiled from *version*."""
    return _compile(version.dialect, version.text)


def policies_of(org: Organization, numbers: Collection[int]) -> dict[int, Policy]:
    """Return the policies compiled from the versions *numbers*, by number."""
    if not numbers:
        return {}
    rows = ConfigVersion.objects.filter(org=org, number__in=numbers)
    return {version.number: policy_of(version) for version in rows}


def active_policy(org: Organization) -> Policy:
    """Return the policy of the active version; an empty policy before the first apply."""
    version = active_version(org)
    return policy_of(version) if version else NO_POLICY


def least_priority(org: Organization) -> int:
    """Return the lowest priority that workloads of *org* may request."""
    return active_policy(org).least_priority


@lru_cache(maxsize=64)
def _compile(dialect: str, text: str) -> Policy:
    # Immutability was checked when the text was applied, so no past specs here.
    language = dialects()[dialect]
    reading = read_cached(language, text, {})
    if reading.policy is None and language.read_applied is not None:
        reading = language.read_applied(text)
    if reading.policy is None:
        raise RuntimeError(f"an applied text no longer compiles: {reading.errors[:3]}")
    return reading.policy
