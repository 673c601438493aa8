"""Services of series: sample, count, roll up and delete expired rows."""
