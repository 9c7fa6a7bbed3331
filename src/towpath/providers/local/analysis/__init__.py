"""Analyzes calls on this machine, without a model."""
