"""The configs app: drafts, versions and fixed queue specs."""

from django.apps import AppConfig


class ConfigsConfig(AppConfig):
    """Drafts, versions and fixed queue specs."""

    name = "console.configs"
    label = "configs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the receivers of signals."""
        import console.configs.receivers  # noqa: F401, PLC0415
