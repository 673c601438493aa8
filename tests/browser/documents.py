"""The three example configs of the editor, and workloads for them."""

from __future__ import annotations

from typing import Any

from console.dialects.native import DIALECT

_SAMPLES = DIALECT.samples()
CAP = _SAMPLES["Cap one instance type"]
GPUS = _SAMPLES["Share research GPUs by priority"]
RESERVATION = _SAMPLES["Guard a capacity reservation"]


def m5(name: str, **more: Any) -> dict[str, Any]:
    """Return a workload of the instance type of which CAP admits three."""
    requests = {"cpu": 8, "memory_gb": 32}
    return {"name": name, "instance_type": "m5.2xlarge", "requests": requests, **more}


def a100(name: str, gpu: int, **more: Any) -> dict[str, Any]:
    """Return a research workload on spot A100s for the config GPUS."""
    return {
        "name": name,
        "tags": {"team": "research"},
        "accelerator_type": "A100",
        "market_type": "SPOT",
        "requests": {"gpu": gpu, "cpu": gpu},
        **more,
    }
