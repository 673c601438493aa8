"""Series: what was used, wanted, counted and waited for over time, and how long it is kept."""
