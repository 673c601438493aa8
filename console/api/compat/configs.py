"""Configs in the client's protocol: apply, get, list, roll back and validate."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.times import time_answer
from console.api.compat.base import ClientView, email_of, result, results
from console.api.compat.documents import (
    config_of,
    keep_active_text,
    read_config,
    require_readable,
)
from console.configs.errors import ConfigRejected
from console.configs.models import ConfigVersion
from console.configs.queries import list_versions, newest_number
from console.configs.services.apply_on_top import apply_on_top, roll_back_on_top
from console.configs.services.lint_config import Checked, lint_config
from console.errors import BadRequest, FieldError, NotFound
from console.expensive import Kind, expensive
from console.orgs.permissions import Permission
from console.policies.queries import active_number, active_version, get_version
from console.reading import LARGEST_INTEGER, printable

#: Maximum and default number of versions on a page.
_MOST, _USUAL = 50, 10


class Config(ClientView):
    """The active config."""

    permissions = {"POST": Permission.APPLY}

    def get(self, request: Request) -> Response:
        """Return the version."""
        version = active_version(self.actor.org)
        if version is None:
            raise NotFound(f"No config was ever applied to {self.actor.org.slug}.")
        return result(_version_with_text(version, version.number))

    def post(self, request: Request) -> Response:
        """Apply a config on top of the active version; an unchanged one creates no version."""
        reader, fields = self.fields(request, ("config",), required=("config",))
        dialect, text = read_config(reader, fields)
        checked = lint_config(self.actor, dialect, text)
        if checked.reading.ok:
            text = keep_active_text(self.actor.org, text)
        version = apply_on_top(self.actor, dialect, text)
        return result({"version": version.number, "lint": _lint(checked)})


class ConfigVersions(ClientView):
    """The versions of the config."""

    parameters = ("count", "paging_token")

    def get(self, request: Request) -> Response:
        """List the versions, newest first, without their configs."""
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

    def get(self, request: Request, version: str) -> Response:
        """Return the version."""
        org = self.actor.org
        return result(
            _version_with_text(get_version(org, _read_number(version)), active_number(org))
        )


class Rollback(ClientView):
    """Rolls back to an old version."""

    permissions = {"POST": Permission.APPLY}

    def post(self, request: Request) -> Response:
        """Create a new version from an old one, on top of the active version."""
        reader, fields = self.fields(request, ("version",), required=("version",))
        number = reader.integer(fields["version"], "version", least=1) if "version" in fields else 0
        reader.finish()
        old = get_version(self.actor.org, number)
        require_readable(old)
        checked = lint_config(self.actor, old.dialect, old.text)
        version = roll_back_on_top(self.actor, number)
        return result({"version": version.number, "lint": _lint(checked)})


class Validate(ClientView):
    """Validates a config without an apply."""

    def post(self, request: Request) -> Response:
        """Return the warnings of a config; raises ConfigRejected, like an apply, for errors."""
        reader, fields = self.fields(request, ("config",), required=("config",))
        dialect, text = read_config(reader, fields)
        with expensive(Kind.CHECK, self.actor.org.pk, self.actor.key, size=len(text)):
            checked = lint_config(self.actor, dialect, text)
        if not checked.reading.ok:
            raise ConfigRejected(checked.reading)
        return result({"lint": _lint(checked)})


def _lint(checked: Checked) -> list[dict[str, str]]:
    return [{"code": each.code, "message": each.message} for each in checked.findings]


def _read_number(text: str) -> int:
    """Return the number of a version; raises BadRequest for an invalid one."""
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    if not 1 <= number <= LARGEST_INTEGER:
        message = (
            f'"{printable(text)}" is not the number of a version. Versions are numbered from 1; '
            "list the versions to find a number."
        )
        raise BadRequest([FieldError("version", "out_of_range", message)])
    return number


def _summary(version: ConfigVersion) -> dict[str, Any]:
    return {
        "version": version.number,
        "created_at": time_answer(version.created_at),
        "creator_id": version.author,
        "creator_email": email_of(version.author),
        "creator_name": version.author,
    }


def _version_with_text(version: ConfigVersion, active: int) -> dict[str, Any]:
    return {
        **_summary(version),
        "is_active": version.number == active,
        "config": config_of(version),
    }
