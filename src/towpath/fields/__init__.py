"""Extracts fields from text: one module per kind of value; `finder` combines them."""
