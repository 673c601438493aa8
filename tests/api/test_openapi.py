"""The OpenAPI document: validity and completeness."""

from __future__ import annotations

import json

from django.core.management import call_command

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


def test_the_document_is_served(client):
    answer = client.get("/api/v1/schema/?format=json")
    assert answer.status_code == 200
    assert answer.json()["paths"] == json.loads(json.dumps(document()["paths"]))
