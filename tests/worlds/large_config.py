"""The config of the large world: 300 queues in 30 cohorts, 3 flavors and a rule per queue."""

from __future__ import annotations

from typing import Final

QUEUES: Final = 300
COHORTS: Final = 30
FLAVORS: Final = ("spot", "on-demand", "reserved")

#: Nominal quota of each queue for each flavor, in GPUs.
OWNED: Final = 8

_FLAVOR = """\
  - name: {name}
    selector: [{{ key: market-type, operator: in, values: [SPOT, ON_DEMAND] }}]
"""
_QUEUE = """\
  - name: {queue}
    cohort_name: {cohort}
    preemption: {{ within_resource_queue: lower_priority, reclaim_within_cohort: any }}
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
"""
_QUOTA = """\
          - name: {name}
            resources: [{{ name: gpu, nominal_quota: 8 }}, {{ name: cpu, nominal_quota: 64 }}]
"""
_RULE = """\
  - selector: [{{ key: team, operator: in, values: [{queue}] }}]
    resource_queue: {queue}
    priority_policy: {{ default: {default}, min: 0, max: 100, on_violation: force_update }}
"""


def queue_name(number: int) -> str:
    """Return the name of a queue, which is also the team whose workloads its rule matches."""
    return f"team-{number}"


def cohort_name(number: int) -> str:
    """Return the name of the cohort with *number*, or of the cohort of the queue with *number*."""
    return f"lab-{number % COHORTS}"


def config(default: int) -> str:
    """Return the config; *default* is the default priority in the rule of the first team."""
    quota = "".join(_QUOTA.format(name=name) for name in FLAVORS)
    queues = (
        _QUEUE.format(queue=queue_name(n), cohort=cohort_name(n)) + quota for n in range(QUEUES)
    )
    rules = (_RULE.format(queue=queue_name(n), default=50 if n else default) for n in range(QUEUES))
    return "".join(
        [
            "resource_flavors:\n",
            *(_FLAVOR.format(name=name) for name in FLAVORS),
            "resource_queues:\n",
            *queues,
            "scheduling_rules:\n",
            *rules,
        ]
    )
