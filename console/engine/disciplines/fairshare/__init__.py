"""Fair sharing over a queue tree: quotas, weights and limits of CPU, memory and GPUs."""
