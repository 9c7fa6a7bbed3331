"""Reads files of all supported formats into markdown."""
