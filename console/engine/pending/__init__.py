"""Pending workloads: classes of alike ones, their order in a queue, their eligibility."""
