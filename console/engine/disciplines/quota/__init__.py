"""The quota discipline: nominal quota, flavors in listed order, cohorts, preemption."""
