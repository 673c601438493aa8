"""Short texts of the language."""

from __future__ import annotations

from typing import Final

from console.dialects.kai import DIALECT
from console.engine.model.policy import Policy

QUEUE: Final = """\
apiVersion: scheduling.run.ai/v2
kind: Queue
metadata:
  name: {name}
spec:
  resources:
    cpu: {{ limit: -1 }}
    memory: {{ limit: -1 }}
    gpu: {{ limit: -1 }}
"""
PRIORITY_CLASS: Final = """\
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {{ name: {name} }}
value: {value}
globalDefault: {default}
"""


def policy_of(text: str) -> Policy:
    """Return the policy of a text without errors."""
    reading = DIALECT.read(text, {})
    assert reading.policy is not None, reading.errors
    return reading.policy
