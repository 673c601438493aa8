"""Checks of organizations that workers run in advance for pages."""
