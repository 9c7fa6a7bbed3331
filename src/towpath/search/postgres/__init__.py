"""The search index on Postgres."""
