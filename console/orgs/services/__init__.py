"""Use cases of organizations, people and tokens, one in each module."""
