"""Builders of small Kueue configs in YAML flow style, one line per manifest."""

from __future__ import annotations


def kueue(*queues: str, more: str = "") -> str:
    """Return manifests with the flavor f, *queues*, and a local queue of namespace ns for each."""
    parts = [written("ResourceFlavor", "name: f"), written("Namespace", "name: ns", version="v1")]
    for number, spec in enumerate(queues):
        local = f"name: lq{number}, namespace: ns"
        parts += [
            written("ClusterQueue", f"name: cq{number}", spec),
            written("LocalQueue", local, f"clusterQueue: cq{number}"),
        ]
    return "\n---\n".join([*parts, more] if more else parts)


def written(
    kind: str, metadata: str, spec: str = "", version: str = "kueue.x-k8s.io/v1beta1"
) -> str:
    """Return one manifest in flow style."""
    rest = f", spec: {{{spec}}}" if spec else ""
    return f"{{apiVersion: {version}, kind: {kind}, metadata: {{{metadata}}}{rest}}}"
