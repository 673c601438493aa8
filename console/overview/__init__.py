"""The overview of an organization: what needs somebody, where it is tight, who consumes most."""
