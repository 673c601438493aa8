"""Routing: from the attributes of a workload to a queue and an effective priority."""
