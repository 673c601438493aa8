"""Charts: their frame, marks, labels and small forms."""
