"""Impact: what a config would do to live and recorded work."""
