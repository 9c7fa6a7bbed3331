"""Readers of plain text, markdown and CSV files."""
