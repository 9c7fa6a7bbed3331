"""Towpath: durable processing of documents and calls."""

__version__ = "0.1.0"
