"""The quota discipline: nominal quota, flavors in listed order, preemption by priority."""

from console.engine.disciplines.quota.cycle import QuotaDiscipline

DISCIPLINE = QuotaDiscipline()
