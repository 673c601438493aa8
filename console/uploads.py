"""Files in forms: in memory, within the bound of every other body, and never on the disk."""

from __future__ import annotations

from typing import IO

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import MemoryFileUploadHandler


class BoundedUploadHandler(MemoryFileUploadHandler):
    """
    Refuses a form that is larger than any body may be, before anything of it is read.

    The framework bounds the fields of a form and not its files, and reads both of whoever
    sends them: the token against forged forms may stand behind the files.
    """

    def handle_raw_input(
        self,
        input_data: IO[bytes],
        META: dict[str, str],  # noqa: N803
        content_length: int,
        boundary: str,
        encoding: str | None = None,
    ) -> None:
        """Raise RequestDataTooBig, which is answered as for every other form."""
        if content_length > settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            raise RequestDataTooBig("The form with its files is larger than a request may be.")
        self.activated = True
