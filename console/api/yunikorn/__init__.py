"""YuniKorn's REST API, under /ws/v1, for its web interface and for scripts that read it."""
