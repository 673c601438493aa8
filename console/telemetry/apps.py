"""The telemetry app: totals since the beginning, and how monitoring systems read them."""

from django.apps import AppConfig


class TelemetryConfig(AppConfig):
    """Totals since the beginning, and how monitoring systems read them."""

    name = "console.telemetry"
    label = "telemetry"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the receivers of signals."""
        import console.telemetry.receivers  # noqa: F401, PLC0415
