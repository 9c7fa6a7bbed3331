"""Towpath: durable processing of documents and calls."""

__version__ = "0.2.0"
