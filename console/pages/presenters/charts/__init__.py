"""Presenters of charts: time frame, marks, labels, histograms and sparklines."""
