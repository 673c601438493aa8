"""Phrases that sentences and labels share: amounts, lists, counts, reasons and events."""
