"""The orgs app: organizations, people, roles and tokens."""

from django.apps import AppConfig


class OrgsConfig(AppConfig):
    """Organizations, people, roles and tokens."""

    name = "console.orgs"
    label = "orgs"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Bind shared tasks to the Celery app, and sign-ins to the audit log, in every process."""
        # Not in `console/__init__`: that would start Celery for whoever imports the engine.
        import console.celery  # noqa: PLC0415
        import console.orgs.receivers  # noqa: F401, PLC0415
