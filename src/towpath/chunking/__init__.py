"""Splits markdown and transcripts into chunks."""
