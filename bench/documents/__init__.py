"""Pages per second, end to end, against the extraction library alone."""
