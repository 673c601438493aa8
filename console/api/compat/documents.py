"""Conversion between the client's JSON configs and the config texts of versions."""

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
    Return the dialect and text of the config in *fields*.

    Raises BadRequest if the config is missing, in another language, or too large.
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
            f"This config is in the language of {likely.title}; the anyscale client's protocol "
            f"supports {dialect.title.lower()} configs only. Apply it on the pages or over the "
            "API."
        )
        raise BadRequest([FieldError("config", "other_language", message)])
    return dialect.name, text


def config_of(version: ConfigVersion) -> dict[str, Any]:
    """Return the config of *version* as JSON; raises Conflict for another language."""
    require_readable(version)
    _, form = client_dialect()
    return form.read(version.text)


def keep_active_text(org: Organization, text: str) -> str:
    """
    Return the active text if its JSON config equals that of *text*, otherwise *text*.

    *text* must have no errors.

    The client sends neither comments nor layout. A repeated apply of the active config must not
    remove the comments of a text that was written in the editor.
    """
    dialect, form = client_dialect()
    active = active_version(org)
    if active is None or active.dialect != dialect.name:
        return text
    return active.text if form.read(active.text) == form.read(text) else text


def require_readable(version: ConfigVersion) -> None:
    """Raise Conflict if *version* is in a language that the client does not support."""
    dialect, _ = client_dialect()
    if version.dialect != dialect.name:
        title = dialects()[version.dialect].title
        raise Conflict(
            "other_language",
            f"Version {version.number} is in the language of {title}; the anyscale client's "
            f"protocol supports {dialect.title.lower()} configs only. View it, or roll back to "
            "it, on the pages or over the API.",
        )
