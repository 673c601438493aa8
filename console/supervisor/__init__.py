"""One process that starts, watches and stops all others of a machine."""
