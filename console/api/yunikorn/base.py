"""Base class of the endpoints: authentication, errors, and the active config."""

from __future__ import annotations

from functools import cached_property
from typing import Any, ClassVar

from rest_framework.request import Request

from console.api.authentication import BearerTokenAuthentication
from console.api.base import TokenView
from console.api.yunikorn.errors import Missing, exception_handler
from console.engine.disciplines.hierarchy.spec import HierarchySpec, Partition, hierarchy_of
from console.errors import NotFound
from console.orgs.models import Organization
from console.policies.models import ConfigVersion
from console.policies.queries import active_version, policy_of


class SchedulerView(TokenView):
    """An endpoint about the queues, nodes and applications of the token's organization."""

    authentication_classes = [BearerTokenAuthentication]
    #: Whether it answers only for an organization with a config of YuniKorn.
    needs_config: ClassVar[bool] = True
    #: The active config version.
    version: ConfigVersion

    def get_exception_handler(self) -> Any:
        """Return the handler that formats errors as YuniKorn does."""
        return exception_handler

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Read the active config; raises NotFound if it is in another config language."""
        super().initial(request, *args, **kwargs)
        if self.needs_config and self.verb == "GET":
            self.version = _active_version(self.actor.org)

    @cached_property
    def spec(self) -> HierarchySpec:
        """The partitions and queues of the active config."""
        return hierarchy_of(policy_of(self.version))

    def partition(self, name: str) -> Partition:
        """Return a partition; raises Missing."""
        found = self.spec.partitions.get(name.lower())
        if found is None:
            known = ", ".join(self.spec.partitions)
            raise Missing(
                "Partition not found", f"There is no partition {name!r}; the config has: {known}."
            )
        return found


def _active_version(org: Organization) -> ConfigVersion:
    found = active_version(org)
    if found is None:
        raise NotFound(f"No config was ever applied to {org.slug}.")
    if policy_of(found).discipline != HierarchySpec.discipline:
        raise NotFound(
            f"The active config of {org.slug} is not a config of YuniKorn: its language is "
            f"{found.dialect}. The API under /api/v1 reads queues of all languages."
        )
    return found


class NoSuchAddress(SchedulerView):
    """Fallback for addresses of the protocol that Sluice does not serve."""

    needs_config = False

    def identify(self, request: Request, **kwargs: Any) -> None:
        """Raise NotFound for every method, after the token is checked."""
        super().identify(request, **kwargs)
        raise NotFound(
            "Sluice serves the parts of YuniKorn's API that read partitions, queues, applications, "
            "nodes, usage, history, events and the config, and validate-conf."
        )
