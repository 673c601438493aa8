"""Events and the audit log."""
