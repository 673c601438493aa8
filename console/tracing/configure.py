"""Detection of whether tracing is enabled, from OpenTelemetry's environment variables."""

from __future__ import annotations

from importlib.util import find_spec

from django.core.exceptions import ImproperlyConfigured

from console import env

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")

#: The only protocol whose exporter is in the lock file.
_PROTOCOL = "http/protobuf"

MIDDLEWARE = "console.tracing.middleware.TraceMiddleware"


def is_wanted() -> bool:
    """
    Return whether a collector is configured and traces are not disabled.

    Raise ImproperlyConfigured for an unsupported protocol, and if the packages are not installed.
    """
    endpoint = next((name for name in _ENDPOINTS if env.text(name, "")), None)
    is_off = (
        env.flag("OTEL_SDK_DISABLED", default=False)
        or env.text("OTEL_TRACES_EXPORTER", "otlp") == "none"
    )
    if endpoint is None or is_off:
        return False
    protocol = next((name for name in _PROTOCOLS if env.text(name, "")), None)
    if protocol is not None:
        env.choice(protocol, (_PROTOCOL,), _PROTOCOL)
    if not _is_installed():
        raise ImproperlyConfigured(
            f"{endpoint} asks for traces, and the packages that send them are not installed: "
            "pip install --require-hashes --no-deps -r requirements-tracing.lock"
        )
    return True


def _is_installed() -> bool:
    try:
        return find_spec("opentelemetry.exporter.otlp.proto.http") is not None
    except ModuleNotFoundError:
        return False
