"""Configs on their way: the client sends and reads JSON, a version has a text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from console.configs.models import ConfigVersion
from console.dialects import client_dialect, dialects, likely_dialect
from console.errors import BadRequest, Conflict, FieldError
from console.orgs.models import Organization
from console.policies.queries import active_version
from console.reading import Reader


def read_config(reader: Reader, fields: Mapping[str, Any]) -> tuple[str, str]:
    """
    Return language and text of the config in *fields*.

    Raises BadRequest when there is none, and for one that is another language's or too large.
    """
    document: Mapping[str, Any] = {}
    if "config" in fields:
        document = reader.mapping(fields["config"], "config", fields["config"] or ())
    reader.finish()
    dialect, form = client_dialect()
    try:
        text = form.write(document)
    except ValueError as error:
        raise BadRequest([FieldError("config", "too_large", str(error))]) from error
    likely = likely_dialect(text)
    if likely is not None and likely is not dialect:
        message = (
            f"This is a config in the language of {likely.title}, and the anyscale client's "
            f"protocol carries {dialect.title.lower()} configs alone: apply it on the pages, or "
            "over the API."
        )
        raise BadRequest([FieldError("config", "other_language", message)])
    return dialect.name, text


def config_of(version: ConfigVersion) -> dict[str, Any]:
    """Return the config of *version* as JSON; raises Conflict when the client cannot read it."""
    require_readable(version)
    _, form = client_dialect()
    return form.read(version.text)


def as_active(org: Organization, text: str) -> str:
    """
    Return the active text where it says the same config as *text*, which has no errors.

    The client sends no comments and no layout. Sending again what is active changes nothing,
    and must not take the comments of a text that was written in the editor away.
    """
    dialect, form = client_dialect()
    active = active_version(org)
    if active is None or active.dialect != dialect.name:
        return text
    return active.text if form.read(active.text) == form.read(text) else text


def require_readable(version: ConfigVersion) -> None:
    """Raise Conflict when *version* is in a language that the client does not speak."""
    dialect, _ = client_dialect()
    if version.dialect != dialect.name:
        title = dialects()[version.dialect].title
        raise Conflict(
            "other_language",
            f"Version {version.number} is in the language of {title}, and the anyscale client's "
            f"protocol carries {dialect.title.lower()} configs alone: look at it, or roll back to "
            "it, on the pages or over the API.",
        )
