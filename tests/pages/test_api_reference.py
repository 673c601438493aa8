"""The API reference: every operation of the OpenAPI document with its fields and examples."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from console.openapi import document
from console.pages.presenters import api_reference
from console.pages.presenters.api_reference import Field, Operation, Parameter, operations
from tests.pages.page import complaints, read_page


def test_the_list_leads_to_every_operation(client: Client) -> None:
    page = read_page(client.get("/api/v1/docs/"))
    assert complaints(page) == []
    described = {
        f"/api/v1/docs/{operation['operationId']}"
        for methods in document()["paths"].values()
        for operation in methods.values()
    }
    links = [link.attrs["href"] for item in page.all("li") for link in item.all("a")]
    assert len(links) == len(set(links))
    assert set(links) == described


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("heartbeat", ["Send a heartbeat of a cluster"]),
        ("ROTATE post", ["Rotate a token", "Replace the secret of a webhook"]),
        ("/config/impact/{run}/cancel", ["Cancel an impact run"]),
        ("\0nothing", []),
    ],
)
def test_operations_are_found_by_words_of_their_titles_and_addresses(
    client: Client, part: str, expected: list[str]
) -> None:
    page = read_page(client.get("/api/v1/docs/", {"q": part}))
    assert [item.all("a")[0].text for item in page.all("li")] == expected
    assert ("No operation contains" in page.text) is (not expected)


def test_every_operation_has_a_valid_page(client: Client) -> None:
    found = {}
    for name, operation in operations().items():
        page = read_page(client.get(f"/api/v1/docs/{name}"))
        assert page.all("h1")[0].text == operation.title
        if wrong := complaints(page):
            found[name] = wrong
    assert found == {}
    assert len(operations()) > 80


def test_an_unknown_operation_is_not_found(client: Client) -> None:
    assert client.get("/api/v1/docs/nothing").status_code == 404


def test_a_form_names_an_organization_of_the_user(owner: Any, client_for: Any) -> None:
    page = read_page(client_for(owner).get("/api/v1/docs/get_org"))
    (field,) = [each for each in page.all("input") if each.attrs.get("name") == "org"]
    assert field.attrs["value"] == "here"


def test_pages_read_the_session_the_user_and_one_organization(
    owner: Any, client_for: Any, django_assert_max_num_queries: Any
) -> None:
    browser = client_for(owner)
    with django_assert_max_num_queries(3):
        browser.get("/api/v1/docs/get_org")
    with django_assert_max_num_queries(2):
        browser.get("/api/v1/docs/")


#: A document with every structure of a schema.
_DOCUMENT: dict[str, Any] = {
    "paths": {
        "/racks/{name}": {
            "put": {
                "operationId": "report_rack",
                "summary": "Report a rack",
                "tags": ["racks"],
                "parameters": [
                    {
                        "in": "query",
                        "name": "mode",
                        "schema": {"type": "string", "enum": ["on", "off"]},
                        "description": "What to do.",
                    },
                    {"in": "path", "name": "name", "schema": {"type": "string"}, "required": True},
                ],
                "requestBody": {
                    "content": {
                        "application/json": {
                            "schema": {"$ref": "#/components/schemas/Rack"},
                            "examples": {"Full": {"summary": "Full", "value": {"owner": "Ann's"}}},
                        },
                    }
                },
                "responses": {
                    "404": {
                        "description": "There is no such rack.",
                        "content": {
                            "application/problem+json": {
                                "schema": {"$ref": "#/components/schemas/Problem"}
                            }
                        },
                    },
                    "200": {
                        "description": "",
                        "content": {
                            "application/json": {
                                "schema": {
                                    "oneOf": [
                                        {"$ref": "#/components/schemas/Shelf"},
                                        {"type": "boolean"},
                                    ]
                                }
                            }
                        },
                    },
                },
            }
        }
    },
    "components": {
        "schemas": {
            "Rack": {
                "type": "object",
                "description": "A rack.",
                "required": ["shelves"],
                "properties": {
                    "owner": {"type": "string", "maxLength": 9, "nullable": True},
                    "kind": {
                        "enum": ["old", "", None],
                        "type": "string",
                        "description": "Its age.\n\n* `old` - old",
                    },
                    "seen": {"type": "string", "format": "date-time"},
                    "shelves": {
                        "type": "array",
                        "maxItems": 3,
                        "items": {"$ref": "#/components/schemas/Shelf"},
                    },
                    "spare": {
                        "allOf": [{"$ref": "#/components/schemas/Shelf"}],
                        "description": "The spare one.",
                        "nullable": True,
                    },
                    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                },
            },
            "Shelf": {
                "type": "object",
                "description": "A shelf.",
                "properties": {
                    "height": {"type": "integer", "minimum": 1, "maximum": 40},
                    "behind": {"$ref": "#/components/schemas/Shelf"},
                },
            },
            "Problem": {"type": "object", "properties": {"detail": {"type": "string"}}},
        }
    },
}


@pytest.fixture
def operation(monkeypatch: pytest.MonkeyPatch) -> Iterator[Operation]:
    """The operation of `_DOCUMENT`."""
    monkeypatch.setattr(api_reference, "document", lambda: _DOCUMENT)
    operations.cache_clear()
    yield operations()["report_rack"]
    operations.cache_clear()


def test_parameters_are_those_of_the_path_first(operation: Operation) -> None:
    assert operation.parameters == (
        Parameter("name", "path", "text", True, ""),
        Parameter("mode", "query", "text", False, "What to do. Values: `on`, `off`."),
    )


def test_fields_have_types_limits_and_levels(operation: Operation) -> None:
    (body,) = operation.bodies
    assert body.about == "A rack."
    assert body.fields == (
        Field("owner", 0, "text, at most 9 characters, or null", False, ""),
        Field("kind", 0, "text", False, "Its age. Values: `old`, empty."),
        Field("seen", 0, "time", False, ""),
        Field("shelves", 0, "list: object, at most 3 items", True, ""),
        Field("height", 1, "whole number, at least 1, at most 40", False, ""),
        # A shelf behind it has the same fields, which are not repeated.
        Field("behind", 1, "object", False, "A shelf."),
        Field("spare", 0, "object, or null", False, "The spare one."),
        Field("height", 1, "whole number, at least 1, at most 40", False, ""),
        Field("behind", 1, "object", False, "A shelf."),
        Field("labels", 0, "object with values: text", False, ""),
    )


def test_alternatives_are_named_and_usual_errors_have_no_fields(operation: Operation) -> None:
    ok, missing = operation.responses
    assert (ok.status, ok.title, missing.status, missing.title) == (200, "OK", 404, "Not Found")
    assert [(field.name, field.level, field.type) for field in ok.bodies[0].fields] == [
        ("either", 0, "object"),
        ("height", 1, "whole number, at least 1, at most 40"),
        ("behind", 1, "object"),
        ("or", 0, "true or false"),
    ]
    assert (missing.about, missing.bodies) == ("There is no such rack.", ())


def test_the_command_quotes_its_body(operation: Operation) -> None:
    assert operation.command == (
        "curl -X PUT $URL/racks/{name} \\\n"
        '  -H "Authorization: Bearer $TOKEN" \\\n'
        "  -H 'Content-Type: application/json' \\\n"
        "  -d '{\n"
        '  "owner": "Ann\'\\\'\'s"\n'
        "}'"
    )
