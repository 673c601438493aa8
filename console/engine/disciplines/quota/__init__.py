"""The quota discipline: nominal quota, flavors in listed order, cohorts, preemption."""

from console.engine.disciplines.quota.discipline import QuotaDiscipline

DISCIPLINE = QuotaDiscipline()
