"""Rounds as tournament files: FIDE's TRF for two seats, tables as JSON for any number."""
