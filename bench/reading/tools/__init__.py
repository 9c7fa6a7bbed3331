"""Towpath and the other tools, as functions from a file to what a task compares."""
