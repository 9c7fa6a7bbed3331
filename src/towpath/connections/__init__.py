"""Finds and scores connections between passages of different documents."""
