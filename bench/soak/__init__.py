"""The soak benchmark: steady mixed work for half an hour; memory, files and the database must not grow."""
