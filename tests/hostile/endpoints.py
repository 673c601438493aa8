"""Every endpoint that accepts a config text or a YAML value, and how to send it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from string import Template
from typing import Any, Final
from urllib.parse import urlencode

import yaml
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

#: Maximum characters of a text in an address, where each may take nine.
LONGEST_IN_ADDRESS: Final = 800

#: Builds the parameters for an address from the language, the text and the names of objects.
Fields = Callable[[str, str, Mapping[str, Any]], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """An address that accepts a text, with the builder and encoding of its request."""

    path: str
    fields: Fields
    form: str = "json"
    #: Whether the request may write to the database.
    stores: bool = False
    #: Whether positions in the answer refer to the text rather than to the client's JSON document.
    is_placed: bool = True

    @property
    def is_page(self) -> bool:
        """Whether the address is a page, requested with a session rather than a token."""
        return self.path.startswith("/o/")

    def address(self, names: Mapping[str, Any]) -> str:
        """Return the address with the placeholders replaced by *names*."""
        return Template(self.path).substitute(names)

    def send(self, client: Client, language: str, text: str, names: Mapping[str, Any]) -> Any:
        """Send *text* and return the answer."""
        address, fields = self.address(names), self.fields(language, text, names)
        match self.form:
            case "json":
                body = json.dumps(fields, default=str, skipkeys=True)
                return client.post(address, body, content_type="application/json")
            case "raw":
                return client.post(address, _bytes(fields["text"]), content_type="text/plain")
            case "query":
                # The web server accepts no longer address.
                short = {name: str(value)[:LONGEST_IN_ADDRESS] for name, value in fields.items()}
                return client.get(f"{address}?{_encoded(short)}")
            case "file":
                file = SimpleUploadedFile("queues.yaml", _bytes(fields.pop("file")))
                return client.post(address, {**fields, "file": file})
        kind = "application/x-www-form-urlencoded"
        return client.post(address, _encoded(fields), content_type=kind)


def _encoded(fields: Mapping[str, Any]) -> str:
    return urlencode({name: _bytes(str(value)) for name, value in fields.items()})


def _bytes(text: str) -> bytes:
    """Return the bytes of *text*, including surrogates, which UTF-8 does not allow."""
    return text.encode("utf-8", "surrogatepass")


@lru_cache(maxsize=500)
def document_of(text: str) -> Any:
    """
    Return the value of *text* as YAML, or an object around the text if parsing is impossible.

    Several addresses are sent the same texts, and parsing the largest takes a second.
    """
    # Expanded, nested aliases exceed any memory.
    if "&" in text or len(text) > 200_000:
        return {"resource_queues": text}
    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return {"resource_queues": text}


def _plain(**more: Any) -> Fields:
    return lambda language, text, names: {"dialect": language, "text": text, **more}


def _document(language: str, text: str, names: Mapping[str, Any]) -> dict[str, Any]:
    return {"config": document_of(text)}


def _value(field: str, /, **more: Any) -> Fields:
    return lambda language, text, names: {**more, field: text}


def _with(*numbers: str, **more: Any) -> Fields:
    """Return a builder of the text with ids of objects (*numbers*) and constant fields (*more*)."""
    things = {
        "base": "version",
        "expected_version": "version",
        "draft": "draft",
        "onto": "version",
    }
    return lambda language, text, names: {
        "dialect": language,
        "text": text,
        **{number: names[things[number]] for number in numbers},
        **more,
    }


#: A time within the limit of scheduled changes.
_LATER: Final = f"{datetime.now(UTC) + timedelta(days=30):%Y-%m-%dT%H:%MZ}"

_API: Final = "/api/v1/orgs/$org/config"
_CLIENT: Final = "/api/v2/scheduler/config"
_PAGES: Final = "/o/$org/config"
_TOOLS: Final = "/o/$org/tools"

#: Every address that accepts a config text.
ENDPOINTS: Final = {
    "check": Endpoint(path=f"{_API}/check", fields=_plain()),
    "apply": Endpoint(path=f"{_API}/versions", fields=_with("expected_version"), stores=True),
    "submit for approval": Endpoint(
        path=f"{_API}/reviews", fields=_with("expected_version"), stores=True
    ),
    "schedule an apply": Endpoint(
        path=f"{_API}/scheduled",
        fields=_with("expected_version", apply_at=_LATER),
        stores=True,
    ),
    "try a route": Endpoint(path=f"{_API}/route", fields=_plain(labels={"team": "a"})),
    "check expectations": Endpoint(path=f"{_API}/expectations/check", fields=_plain()),
    "find the impact": Endpoint(path=f"{_API}/impact", fields=_plain(), stores=True),
    "apply by the client": Endpoint(path=_CLIENT, fields=_document, stores=True, is_placed=False),
    "validate": Endpoint(path=f"{_CLIENT}/validate", fields=_document, is_placed=False),
    "preview": Endpoint(path=f"{_CLIENT}/preview", fields=_document, is_placed=False),
    "validate for YuniKorn": Endpoint(
        path="/ws/v1/validate-conf", fields=_plain(), form="raw", is_placed=False
    ),
    "check while typing": Endpoint(path=f"{_PAGES}/edit/check", fields=_plain(seq=1)),
    "fix all": Endpoint(path=f"{_PAGES}/edit/fix", fields=_plain(seq=1)),
    "complete": Endpoint(path=f"{_PAGES}/edit/complete", fields=_plain(line=3, column=9)),
    "explain": Endpoint(path=f"{_PAGES}/edit/explain", fields=_plain(line=3, column=9)),
    "context": Endpoint(path=f"{_PAGES}/edit/context", fields=_plain(line=2, column=11)),
    "count hits": Endpoint(path=f"{_PAGES}/edit/hits", fields=_plain()),
    "begin while typing": Endpoint(
        path=f"{_PAGES}/edit/begin", fields=_with("base", title="Mine"), stores=True
    ),
    "save while typing": Endpoint(
        path=f"{_PAGES}/drafts/$draft/save", fields=_with("base", revision=7), stores=True
    ),
    "begin": Endpoint(
        path=f"{_PAGES}/edit", fields=_with("base", do="check"), form="form", stores=True
    ),
    "save": Endpoint(
        path=f"{_PAGES}/drafts/$draft",
        fields=_with("base", do="check", revision=7),
        form="form",
        stores=True,
    ),
    "upload": Endpoint(
        path=f"{_PAGES}/drafts",
        fields=lambda language, text, names: {"dialect": language, "file": text},
        form="file",
        stores=True,
    ),
    "merge": Endpoint(
        path=f"{_PAGES}/conflict",
        fields=lambda language, text, names: {
            "do": "merge",
            "draft": names["late_draft"],
            "revision": 1,
            "onto": names["version"],
            "conflicts": 1,
            "choice-0": "edited",
            "text-0": text,
        },
        form="form",
        stores=True,
    ),
}

#: Every address that accepts a value in YAML.
VALUE_TAKERS: Final = {
    "pod sets": Endpoint(
        path="/o/$org/workloads/new",
        fields=_value("pod_sets", name="one", type="job", copies=1),
        form="form",
        stores=True,
    ),
    "one label set": Endpoint(path=f"{_TOOLS}/route", fields=_value("paste"), form="query"),
    "requests": Endpoint(
        path=f"{_TOOLS}/route", fields=_value("requests", key="team"), form="query"
    ),
    "label sets": Endpoint(path=f"{_TOOLS}/route/many", fields=_value("sets"), form="form"),
    "a new expectation": Endpoint(
        path=f"{_TOOLS}/expectations/new",
        fields=_value("requests", name="new", key="team", value="a"),
        form="form",
        stores=True,
    ),
    "an expectation": Endpoint(
        path=f"{_TOOLS}/expectations/$expectation",
        fields=_value("requests", name="kept", key="team", value="a"),
        form="form",
        stores=True,
    ),
}

#: Pages about a draft with arbitrary text.
PAGES_OF_DRAFTS: Final = (
    *("/o/$org/config/drafts", "/o/$org/config/drafts/$draft", "/o/$org/config/drafts/$draft/text"),
    *("/o/$org/config/review?draft=$draft", "/o/$org/config/impact?draft=$draft"),
    *("/o/$org/config/compare?draft=$draft", "/o/$org/config/conflict?draft=$draft"),
    "/o/$org/tools/route?config=draft-$draft&key=team&value=a",
    "/o/$org/tools/route/many?config=draft-$draft",
    "/o/$org/tools/expectations?config=draft-$draft",
)
