"""The API app."""

from importlib import import_module

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """The product's HTTP API."""

    name = "console.api"
    label = "api"

    def ready(self) -> None:
        """Let the OpenAPI document know how clients identify themselves."""
        import_module("console.api.schemas.security")
