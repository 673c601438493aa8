"""A config of one queue without limits that tests of resource-hours reach."""

from __future__ import annotations

from typing import Final

CONFIG: Final = """\
resource_flavors: [{name: any}]
resource_queues:
  - name: train
    resource_groups:
      - covered_resources: [gpu]
        flavors: [{name: any, resources: [{name: gpu, nominal_quota: 40}]}]
scheduling_rules: [{resource_queue: train}]
"""
