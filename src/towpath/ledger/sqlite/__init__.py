"""The SQLite engine of the ledger, and SQL files in its dialect."""
