"""Readers and models that run on this machine, without an account or a network."""
