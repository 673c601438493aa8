"""The OpenAPI document: validity, completeness, and its page."""

from __future__ import annotations

from django.core.management import call_command
from django.test import Client

from console.workloads import submissions
from tests.api.conftest import document


def test_the_document_is_valid(tmp_path):
    call_command("spectacular", validate=True, fail_on_warn=True, file=str(tmp_path / "openapi"))


def test_every_operation_is_described():
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            place = f"{method} {path}"
            assert operation["summary"], place
            assert operation["operationId"], place
            assert operation["tags"], place
            assert set(operation["responses"]) >= {"400", "401", "403", "404"}, place
            for status, response in operation["responses"].items():
                kinds = list(response["content"])
                if int(status) >= 400:
                    assert kinds == ["application/problem+json"], place
                else:
                    assert kinds[0] == "application/json", place
            if method == "post":
                assert operation["responses"]["415"], place


def test_the_described_workload_is_the_one_that_is_read():
    described = document()["components"]["schemas"]["WorkloadIn"]["properties"]
    assert list(described) == list(submissions._FIELDS)


def test_the_document_and_its_page_are_served(db):
    client = Client()
    answer = client.get("/api/v1/schema/?format=json")
    assert answer.status_code == 200
    assert "/api/v1/orgs/{org}/workloads" in answer.json()["paths"]
    page = client.get("/api/v1/docs/")
    assert page.status_code == 200
    assert b"<script>" not in page.content
    assert client.get("/api/v1/docs/?script=").status_code == 200
