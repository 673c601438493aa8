"""The rule tester: where a workload would go, and why."""
