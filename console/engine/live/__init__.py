"""Parts of the live state: queue trees, running workloads, mutations, decisions and snapshots."""
