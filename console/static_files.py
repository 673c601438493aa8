"""Selection of static files: only files that pages load are served."""

from __future__ import annotations

from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    """
    Static files app that ignores files of packages that no page loads.

    They are nine tenths of the files, and of the time to collect them.
    """

    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        # The editor needs one language, themes as style sheets, and no snippets.
        "mode-[!y]*.js",
        "theme-*.js",
        "worker-*.js",
        "snippets",
        # The alternative viewer of API documents, and the browsable API, which is off.
        "redoc",
        "rest_framework",
    ]
