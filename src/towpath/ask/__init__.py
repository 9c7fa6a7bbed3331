"""Answers questions from the passages of a library, with verified citations."""
