"""Presenters of the rule tester: the route of a workload, and the reasons."""
