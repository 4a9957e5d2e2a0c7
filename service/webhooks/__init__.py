"""Webhooks: organisations are told what happens to their matches, signed and until it arrives."""
