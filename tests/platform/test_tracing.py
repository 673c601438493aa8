"""Traces from a request to the batch that decides it; no tracing unless it is configured."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from console.tracing.configure import is_wanted
from tests.crash.load import CONFIG
from tests.loopback import answering
from tests.product import PATIENCE, ROOT, running

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"


@dataclass(frozen=True)
class ReceivedSpan:
    """A span as received by a collector."""

    name: str
    service: str
    trace: str
    id: str
    parent: str
    facts: dict[str, Any]


@dataclass
class Collector:
    """The spans that a collector on loopback has received."""

    url: str = ""
    spans: list[ReceivedSpan] = field(default_factory=list)

    def named(self, name: str, trace: str = "") -> list[ReceivedSpan]:
        """Return the spans with a name, of one trace or of all."""
        return [s for s in self.spans if s.name == name and s.trace.startswith(trace)]


@contextmanager
def collecting() -> Iterator[Collector]:
    """Run a collector."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collector.spans.extend(_spans(ExportTraceServiceRequest.FromString(body)))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    with answering(Handler) as collector.url:
        yield collector


def _spans(request: ExportTraceServiceRequest) -> Iterator[ReceivedSpan]:
    for resource in request.resource_spans:
        service = _facts(resource.resource.attributes)["service.name"]
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield ReceivedSpan(
                    span.name,
                    service,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    _facts(span.attributes),
                )


def _facts(attributes: Any) -> dict[str, Any]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}


def until(happened: Callable[[], Any], collector: Collector) -> None:
    """Wait until *happened* returns a result; fail with the received spans otherwise."""
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, sorted({span.name for span in collector.spans})
        time.sleep(0.05)


TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def ask(port: int, method: str, path: str, body: Any = None, token: str = "") -> int:
    """Send a request that continues a trace of the client."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {
        "traceparent": f"00-{TRACE}-{CALLER}-01",
        "Content-Type": "application/json",
        "X-Request-ID": "asked",
        **({"Authorization": f"Bearer {token}"} if token else {}),
    }
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        response.read()
        return response.status
    finally:
        connection.close()


def test_a_request_is_followed_to_the_batch_that_decides_it(tmp_path: Path) -> None:
    with (
        collecting() as collector,
        running(
            tmp_path / "home",
            OTEL_EXPORTER_OTLP_ENDPOINT=collector.url,
            OTEL_BSP_SCHEDULE_DELAY="100",
            LOG_FORMAT="json",
        ) as product,
    ):
        token = product.manage("create_token", "--org", "main", "--role", "owner")
        base = "/api/v1/orgs/main"
        version = {"dialect": "native", "text": CONFIG, "message": "", "expected_version": 0}
        product.api().post("/config/versions", version, expect=201)
        # After that decision, the next request is the one that wakes the worker.
        until(lambda: collector.named("batch"), collector)
        one = {"name": "train", "tags": {"team": "probe"}, "requests": {"gpu": 1}}
        assert ask(product.port, "GET", "/healthz") == 200
        assert ask(product.port, "GET", "/join/nobody-knows-it") == 404
        assert ask(product.port, "POST", f"{base}/workloads", {"workloads": [one]}, token) == 202
        until(lambda: collector.named("batch", TRACE), collector)
        until(lambda: collector.named("POST /api/v1/orgs/<str:org>/workloads", TRACE), collector)
        until(lambda: collector.named("console.workloads.tasks.admit", TRACE), collector)
    assert {span.service for span in collector.spans} == {"sluice"}
    [request] = collector.named("POST /api/v1/orgs/<str:org>/workloads", TRACE)
    assert request.parent == CALLER
    assert request.facts == {
        "http.request.method": "POST",
        "http.response.status_code": 202,
        "http.route": "/api/v1/orgs/<str:org>/workloads",
        "sluice.org": "main",
        "sluice.request_id": "asked",
    }
    [task] = collector.named("console.workloads.tasks.admit", TRACE)
    assert task.parent == request.id
    [batch] = collector.named("batch", TRACE)
    assert batch.parent == task.id
    facts = dict(batch.facts)
    assert facts.pop("sluice.version") > 0
    assert facts == {
        "sluice.org": "main",
        "sluice.config_version": 1,
        "sluice.intake": 1,
        "sluice.workloads": 1,
        "sluice.decisions": 1,
    }
    written = {s.name for s in collector.spans if s.parent == batch.id}
    assert {"INSERT", "UPDATE", "DELETE"} <= written
    assert {s.facts["db.system.name"] for s in collector.spans if s.name == "INSERT"} == {"sqlite"}
    told = json.dumps([[span.name, span.facts] for span in collector.spans])
    assert "healthz" not in told
    assert "nobody-knows-it" not in told
    assert token not in told
    lines = [json.loads(line) for line in product.lines if line.startswith("{")]
    of_trace = [line["event"] for line in lines if line.get("trace_id") == TRACE]
    assert {"request", "batch decided"} <= set(of_trace)


def run(program: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a short program in a fresh interpreter."""
    clean = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**clean, "SLUICE_HOME": str(home), "SECRET_KEY": "for this test", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


#: Program that loads a web process and a worker, and prints the loaded modules of tracing.
LOADED = """
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"
import console.wsgi
from celery.signals import worker_init
import console.celery
worker_init.send(sender=None)
print(*sorted(name.removeprefix("console.tracing.") for name in sys.modules
              if name.startswith("console.tracing.") or name == "opentelemetry.propagate"))
"""


def test_opentelemetry_is_loaded_only_when_configured(tmp_path: Path) -> None:
    done = run(LOADED, tmp_path)
    assert done.stdout.splitlines()[-1:] == ["configure start"], done.stderr
    wanted = run(LOADED, tmp_path, **{ENDPOINT: "http://127.0.0.1:9"})
    loaded = "configure middleware opentelemetry.propagate spans start statements tasks"
    assert wanted.stdout.splitlines()[-1:] == [loaded], wanted.stderr


def test_missing_packages_are_reported_in_one_sentence(tmp_path: Path) -> None:
    program = (
        "import runpy, sys; sys.modules['opentelemetry'] = None; "
        "sys.argv = ['manage.py', 'check']; runpy.run_path('manage.py', run_name='__main__')"
    )
    done = run(program, tmp_path, **{ENDPOINT: "http://127.0.0.1:9"})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "sluice: OTEL_EXPORTER_OTLP_ENDPOINT asks for traces, and the packages that send them are "
        "not installed: pip install --require-hashes --no-deps -r requirements-tracing.lock\n"
    )


@pytest.mark.parametrize(
    ("environment", "wanted"),
    [
        ({}, False),
        ({ENDPOINT: "http://127.0.0.1:9"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:9/v1/traces"}, True),
        ({ENDPOINT: "http://127.0.0.1:9", "OTEL_SDK_DISABLED": "true"}, False),
        ({ENDPOINT: "http://127.0.0.1:9", "OTEL_TRACES_EXPORTER": "none"}, False),
        ({ENDPOINT: "http://127.0.0.1:9", "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, True),
    ],
)
def test_opentelemetry_variables_enable_tracing(monkeypatch, environment, wanted: bool) -> None:
    for name in [name for name in os.environ if name.startswith("OTEL_")]:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert is_wanted() is wanted


def test_another_protocol_is_refused_by_name(monkeypatch) -> None:
    monkeypatch.setenv(ENDPOINT, "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    with pytest.raises(ImproperlyConfigured) as caught:
        is_wanted()
    assert str(caught.value) == "OTEL_EXPORTER_OTLP_PROTOCOL is 'grpc'; it must be http/protobuf."
