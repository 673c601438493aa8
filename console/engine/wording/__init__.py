"""Wording that sentences and labels share: amounts, lists, counts, reasons and notices."""
