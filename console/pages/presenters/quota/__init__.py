"""Cohorts: the list, the matrix of members, and who uses whose quota."""
