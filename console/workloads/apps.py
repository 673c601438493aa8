"""The workloads app: workloads, decisions, events and the engine rows."""

from django.apps import AppConfig


class WorkloadsConfig(AppConfig):
    """Workloads, decisions, events and the engine rows."""

    name = "console.workloads"
    label = "workloads"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the receivers of signals, and load the plugins of disciplines."""
        import console.workloads.receivers  # noqa: F401, PLC0415
        from console.plugin_loading import install_plugins  # noqa: PLC0415

        install_plugins()
