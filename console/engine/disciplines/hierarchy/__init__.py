"""The discipline of hierarchical queues with limits for users and groups, as in YuniKorn."""
