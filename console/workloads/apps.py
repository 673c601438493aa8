"""The workloads app: workloads, decisions, events and the engine rows."""

from django.apps import AppConfig


class WorkloadsConfig(AppConfig):
    """Workloads, decisions, events and the engine rows."""

    name = "console.workloads"
    label = "workloads"
    default_auto_field = "django.db.models.BigAutoField"
