"""Generated configs of any size, with the parts of real configs."""

from __future__ import annotations

_TEAM = """\
  - name: team-{n}
    preemption: {{ within_resource_queue: lower_priority }}
    resource_groups:
      - covered_resources: [gpu, cpu]
        flavors:
          - name: spot-{n}
            resources:
              - {{ name: gpu, nominal_quota: {quota} }}
              - {{ name: cpu, nominal_quota: {quota}.5 }}
          - name: reserved-{n}
            resources:
              - {{ name: gpu, nominal_quota: 8 }}
      - covered_resources: [memory_gb]
        flavors:
          - name: memory-{n}
            resources:
              - name: memory_gb
                nominal_quota: 4096
"""
_FLAVORS = """\
  - name: spot-{n}
    selector:
      - {{ key: market-type, operator: in, values: [SPOT] }}
      - {{ key: accelerator-type, operator: in, values: [A100, H100] }}
  - name: reserved-{n}
    selector:
      - {{ key: market-type, operator: not_in, values: [SPOT] }}
  - name: memory-{n}
"""
_RULE = """\
  - selector:
      - {{ key: team, operator: in, values: [team-{n}] }}
    resource_queue: team-{n}
    priority_policy: {{ default: 50, min: 0, max: 100, on_violation: force_update }}
"""
_LINES_OF_A_TEAM = (_TEAM + _FLAVORS + _RULE).count("\n")


def large_config(lines: int) -> str:
    """Return a config without diagnostics of *lines* lines, rounded up to whole teams."""
    head = 5
    teams = range(-(-(lines - head) // _LINES_OF_A_TEAM))
    return "".join(
        [
            "resource_flavors:\n",
            *(_FLAVORS.format(n=n) for n in teams),
            "resource_queues:\n",
            *(_TEAM.format(n=n, quota=n % 64) for n in teams),
            "  - name: default\n",
            "scheduling_rules:\n",
            *(_RULE.format(n=n) for n in teams),
            "  - resource_queue: default\n",
        ]
    )
