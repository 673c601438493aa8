"""Presenters of impact: the effect of a config on live and recorded workloads."""
