"""Policies: the versions of an organization's config, the active one, and what each compiles to."""
