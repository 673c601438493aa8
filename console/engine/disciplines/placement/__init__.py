"""Placement over clusters: filters, preferences and plugins choose where each job runs."""
