"""SQL files that are the same for SQLite and Postgres."""
