"""The search index on SQLite."""
