"""The search scenario: how fast and how true search is over a large collection, on both engines."""
