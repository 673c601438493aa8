"""Management commands for organizations, people, tokens and audit entries."""
