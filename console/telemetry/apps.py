"""The telemetry app: cumulative totals, and metrics for monitoring systems."""

from django.apps import AppConfig


class TelemetryConfig(AppConfig):
    """Cumulative totals, and metrics for monitoring systems."""

    name = "console.telemetry"
    label = "telemetry"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the signal receivers."""
        import console.telemetry.receivers  # noqa: F401, PLC0415
