"""The supervisor: one process that starts, watches and stops all other processes of a machine."""
