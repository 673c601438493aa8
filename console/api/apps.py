"""The API app."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """The HTTP API."""

    name = "console.api"
    label = "api"
