"""Policies of short configs for tests of what pages show."""

from __future__ import annotations

from console.dialects import dialects
from console.engine.model.policy import Policy

#: Two leaves below one parent, and namespaces that get queues of a template.
LAB = """\
partitions:
  - name: default
    placementrules:
      - name: provided
      - name: tag
        value: namespace
        create: true
        parent: {name: fixed, value: root.spaces}
    queues:
      - name: root
        queues:
          - name: lab
            submitacl: "ann,sue team,staff"
            resources:
              guaranteed: {vcore: 8}
              max: {vcore: 10, memory: 100}
            queues:
              - name: a
                resources:
                  guaranteed: {vcore: 2}
                  max: {vcore: 6}
              - name: b
                maxapplications: 2
          - name: spaces
            parent: true
            submitacl: "*"
            childtemplate:
              maxapplications: 3
              properties: {preemption.delay: 5s}
              resources:
                max: {vcore: 4}
"""


def compiled(text: str) -> Policy:
    """Return the policy of a config without errors."""
    reading = dialects()["yunikorn"].read(text, {})
    assert reading.policy is not None, reading.diagnostics
    return reading.policy
