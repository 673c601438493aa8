"""Config versions of an organization, the active one, and the policies compiled from them."""
