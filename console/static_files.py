"""Which static files are served: of what packages bring along, only what the pages load."""

from __future__ import annotations

from django.contrib.staticfiles.apps import StaticFilesConfig


class StaticFiles(StaticFilesConfig):
    """Leaves out what no page loads: nine tenths of the files, and of the time to collect them."""

    ignore_patterns = [
        *StaticFilesConfig.ignore_patterns,
        # The editor: one language, themes as style sheets, no snippets.
        "mode-[!y]*.js",
        "theme-*.js",
        "worker-*.js",
        "snippets",
        # The other viewer of API documents, and the API pages that are turned off.
        "redoc",
        "rest_framework",
    ]
