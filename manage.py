#!/usr/bin/env python
"""The entry point for operators and developers."""

import os
import sys

from django.core.exceptions import ImproperlyConfigured
from django.core.management import execute_from_command_line

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "console.settings")
    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        # A setting with a bad value: the message names it and what it accepts.
        sys.exit(f"sluice: {error}")
