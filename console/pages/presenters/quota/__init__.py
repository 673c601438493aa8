"""Presenters of cohorts: list, matrix of members, lending rules and loans."""
