"""Readers of Microsoft Office files and spreadsheets."""
