"""Readers of plain text, markdown, CSV and RTF files."""
