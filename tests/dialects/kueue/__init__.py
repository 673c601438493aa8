"""What Kueue manifests yield."""
