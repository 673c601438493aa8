"""The pages app: views, presenters and template tags, without models."""

from django.apps import AppConfig


class PagesConfig(AppConfig):
    """Pages for the browser."""

    name = "console.pages"
    label = "pages"
