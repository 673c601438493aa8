"""The retention app: checks for expired rows, and their deletion."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class RetentionConfig(AppConfig):
    """Checks for expired rows, and their deletion."""

    name = "console.retention"
    label = "retention"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import the module `retention` of every app, which registers the rows of the app."""
        autodiscover_modules("retention")
