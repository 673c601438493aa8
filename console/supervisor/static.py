"""Collection of static files, only if one of them has changed."""

from __future__ import annotations

import hashlib
from importlib.metadata import version
from pathlib import Path

from django.contrib.staticfiles import finders
from django.core.management import call_command

from console import static_files
from console.home import Home


def collect(home: Home) -> None:
    """Bring the collected static files up to date; later starts only compare times and sizes."""
    stamp = _stamp()
    if home.static_stamp.exists() and home.static_stamp.read_text() == stamp:
        return
    home.static_stamp.unlink(missing_ok=True)
    call_command("collectstatic", interactive=False, verbosity=0)
    home.static_stamp.write_text(stamp)


def _stamp() -> str:
    """Return a digest of all inputs of the collected files, and of the code that collects them."""
    versions = f"{version('Django')} {version('whitenoise')}\n"
    digest = hashlib.sha256(versions.encode() + Path(static_files.__file__).read_bytes())
    for finder in finders.get_finders():
        for path, storage in finder.list(static_files.StaticFiles.ignore_patterns):
            stat = Path(storage.path(path)).stat()
            digest.update(f"{path} {stat.st_size} {stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()
