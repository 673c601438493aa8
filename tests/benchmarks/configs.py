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


_TREE = """\
          - name: team-{n}
            parent: true
            submitacl: "lead-{n} team-{n}"
            maxapplications: 100
            resources:
              guaranteed: {{ vcore: {n}, memory: {n}Gi }}
              max: {{ vcore: 5k, memory: 8Ti, nvidia.com/gpu: 64 }}
            limits:
              - limit: everybody
                users: ["*"]
                maxapplications: 10
                maxresources: {{ memory: 1Ti }}
            childtemplate:
              maxapplications: 10
              resources:
                max: {{ memory: 1Ti }}
            queues:
"""
_LEAF = """\
              - name: queue-{n}
                maxapplications: 50
                properties:
                  application.sort.policy: fair
                  priority.offset: "5"
                resources:
                  max: {{ memory: {n}Ti }}
"""
_LEAVES = 4


def queue_tree(lines: int) -> str:
    """Return a config of YuniKorn without diagnostics of *lines* lines, rounded up."""
    head = [
        "partitions:",
        "  - name: default",
        "    placementrules:",
        "      - name: provided",
        "      - name: tag",
        "        value: namespace",
        "        create: true",
        "        filter: { users: ['^team-'] }",
        "        parent: { name: fixed, value: root.team-1 }",
        "    queues:",
        "      - name: root",
        "        queues:",
        "",
    ]
    leaves = "".join(_LEAF.format(n=n) for n in range(1, _LEAVES + 1))
    team = _TREE.count("\n") + leaves.count("\n")
    teams = range(1, -(-(lines - len(head)) // team) + 1)
    return "\n".join(head) + "".join(_TREE.format(n=n) + leaves for n in teams)


def in_config_map(text: str) -> str:
    """Return a ConfigMap of YuniKorn with a config as a block of text."""
    head = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: yunikorn-configs }\ndata:\n"
    inner = text.replace("\n", "\n    ").rstrip(" ")
    return f"{head}  queues.yaml: |\n    {inner}"
