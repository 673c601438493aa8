"""The live state of one organization: queue trees, pending and running workloads, mutations."""
