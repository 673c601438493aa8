"""Query budgets of pages and API paths, checked in three worlds."""
