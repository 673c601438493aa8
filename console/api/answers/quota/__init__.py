"""Response bodies that are specific to the quota discipline."""
