#!/usr/bin/env python
"""Django's command line, for operators and developers."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # The message names the bad setting and the accepted values.
        sys.exit(f"sluice: {error}")
