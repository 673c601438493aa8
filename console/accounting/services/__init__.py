"""Services of accounting: count batches, fold what still runs, and delete expired rows."""
