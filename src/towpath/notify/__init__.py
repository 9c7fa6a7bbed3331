"""Wakes workers when jobs are queued."""
