"""The config: apply, look, list, roll back, validate."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.times import time_answer
from console.api.compat.base import ClientView, email_of, result, results
from console.api.compat.documents import config_of, read_config, require_readable
from console.configs.models import ConfigVersion
from console.configs.queries import (
    active_number,
    active_version,
    get_version,
    list_versions,
    newest_number,
)
from console.configs.services.apply_on_top import apply_on_top, roll_back_on_top
from console.configs.services.lint_config import lint_config
from console.errors import ConfigRejected, NotFound
from console.expensive import Kind, expensive
from console.orgs.permissions import Permission

#: Versions of one page at most, and when the client does not say.
_MOST, _USUAL = 50, 10


class Config(ClientView):
    """The active config."""

    permissions = {"POST": Permission.APPLY}

    def get(self, request: Request) -> Response:
        """Show it."""
        version = active_version(self.actor.org)
        if version is None:
            raise NotFound(f"No config was ever applied to {self.actor.org.slug}.")
        return result(_whole(version, version.number))

    def post(self, request: Request) -> Response:
        """Apply a config, on top of whatever is active."""
        reader, fields = self.fields(request, ("config",), required=("config",))
        dialect, text = read_config(reader, fields)
        return result({"version": apply_on_top(self.actor, dialect, text).number})


class ConfigVersions(ClientView):
    """The versions of the config."""

    parameters = ("count", "paging_token")

    def get(self, request: Request) -> Response:
        """List them, newest first, without their configs."""
        org = self.actor.org
        count = self.number(request, "count", _USUAL, 0, _MOST)
        token = self.paging_token(request)
        total = newest_number(org)
        if not count:
            return results([], total, None)
        page = list_versions(org, count, token)
        return results([_summary(version) for version in page.results], total, page.next)


class OneVersion(ClientView):
    """One version of the config."""

    def get(self, request: Request, number: int) -> Response:
        """Show it."""
        org = self.actor.org
        return result(_whole(get_version(org, number), active_number(org)))


class Rollback(ClientView):
    """Back to an old version."""

    permissions = {"POST": Permission.APPLY}

    def post(self, request: Request) -> Response:
        """Make its config a new version, on top of whatever is active."""
        reader, fields = self.fields(request, ("version",), required=("version",))
        number = reader.integer(fields["version"], "version", least=1) if "version" in fields else 0
        reader.finish()
        require_readable(get_version(self.actor.org, number))
        return result({"version": roll_back_on_top(self.actor, number).number})


class Validate(ClientView):
    """What would be found if a config were applied."""

    def post(self, request: Request) -> Response:
        """Answer what deserves a look; a config with errors is refused as an apply would be."""
        reader, fields = self.fields(request, ("config",), required=("config",))
        dialect, text = read_config(reader, fields)
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=len(text)):
            checked = lint_config(self.actor, dialect, text)
        if not checked.reading.ok:
            raise ConfigRejected(checked.reading)
        return result({"lint": [{"code": d.code, "message": d.message} for d in checked.findings]})


def _summary(version: ConfigVersion) -> dict[str, Any]:
    return {
        "version": version.number,
        "created_at": time_answer(version.created_at),
        "creator_id": version.author,
        "creator_email": email_of(version.author),
        "creator_name": version.author,
    }


def _whole(version: ConfigVersion, active: int) -> dict[str, Any]:
    return {
        **_summary(version),
        "is_active": version.number == active,
        "config": config_of(version),
    }
