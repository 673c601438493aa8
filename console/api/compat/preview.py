"""Preview: the routes of recorded workloads in a config."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from console.api.answers.times import time_answer
from console.api.compat.base import ClientView, result
from console.api.compat.documents import read_config
from console.configs.services.preview_config import Preview, Verdict, preview_config
from console.expensive import Kind, expensive


class ConfigPreview(ClientView):
    """A config evaluated on recorded history, without an apply."""

    def post(self, request: Request) -> Response:
        """Return one verdict for each distinct set of labels, the most frequent first."""
        known = ("config", "include_applied_comparison", "refresh")
        reader, fields = self.fields(request, known, required=("config",))
        compare = reader.flag(fields.get("include_applied_comparison"), known[1])
        # History is read for every response, so there is nothing to refresh.
        reader.flag(fields.get("refresh"), known[2])
        dialect, text = read_config(reader, fields)
        with expensive(Kind.PREVIEW, self.actor.org.pk, self.actor.key):
            preview = preview_config(self.actor, dialect, text, compare=compare)
        return result(_answer(preview))


def _answer(preview: Preview) -> dict[str, Any]:
    return {
        "corpus": {
            "window_days": preview.window_days,
            "total_events": preview.runs,
            "distinct_combos": len(preview.verdicts),
            "truncated": preview.is_cut,
            "snapshot_at": time_answer(preview.read_at),
        },
        "verdicts": [_verdict(verdict) for verdict in preview.verdicts],
        "lint": [{"code": d.code, "message": d.message} for d in preview.findings],
        "unevaluable_rules": [
            {"rule_index": each.rule, "unknown_keys": list(each.keys)}
            for each in preview.unevaluable_rules
        ],
        "preview_unavailable": False,
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    draft, active = verdict.draft, verdict.active
    return {
        # History does not record the names of workloads.
        "display_name": None,
        "run_count": verdict.runs,
        "labels": dict(verdict.labels),
        "queue_name": draft.queue,
        "matched_rule_index": -1 if draft.rule is None else draft.rule,
        "no_rule_matched": draft.is_refused,
        "applied_queue_name": active.queue if active else None,
        "applied_no_rule_matched": active.is_refused if active else None,
    }
