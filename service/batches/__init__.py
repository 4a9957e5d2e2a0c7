"""Batches: many matches made at once, looked at, directed and compared together."""
