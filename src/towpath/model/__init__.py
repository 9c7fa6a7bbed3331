"""The data types that all packages share."""
