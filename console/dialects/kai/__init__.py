"""The KAI dialect: queues, priority classes, nodes and the settings of the scheduler."""
