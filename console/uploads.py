"""Upload handler: files are kept in memory within the size limit of all bodies, never on disk."""

from __future__ import annotations

from typing import IO

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import MemoryFileUploadHandler


class BoundedUploadHandler(MemoryFileUploadHandler):
    """
    Upload handler that refuses a form above the size limit of bodies before reading it.

    Django limits the fields of a form and not its files, and reads both before it checks the CSRF
    token, which may come after the files.
    """

    def handle_raw_input(
        self,
        input_data: IO[bytes],
        META: dict[str, str],  # noqa: N803
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        """Raise RequestDataTooBig if the form is too large, as Django does without files."""
        if content_length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise RequestDataTooBig("The form with its files is larger than a request may be.")
        self.activated = True
