"""The orgs app: organizations, people, roles and tokens."""

from django.apps import AppConfig


class OrgsConfig(AppConfig):
    """Organizations, people, roles and tokens."""

    name = "console.orgs"
    label = "orgs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect shared tasks to the Celery app, and sign-ins to the audit log."""
        # Not in `console/__init__`, where importing the engine would start Celery.
        import console.celery  # noqa: PLC0415
        import console.orgs.receivers  # noqa: F401, PLC0415
