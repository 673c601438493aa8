"""The retention app: when what is only kept for a while was looked through and forgotten."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class RetentionConfig(AppConfig):
    """When what is only kept for a while was looked through and forgotten."""

    name = "console.retention"
    label = "retention"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Import the module `retention` of every app, which registers what the app keeps."""
        autodiscover_modules("retention")
