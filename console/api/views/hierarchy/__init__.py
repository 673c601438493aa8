"""Views of hierarchical queues: users and groups, and placement rules."""
