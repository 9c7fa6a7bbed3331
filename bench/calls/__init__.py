"""Calls: how fast recordings are heard."""
