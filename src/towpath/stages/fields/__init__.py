"""One file for each sort of value that can be found in a text; ``field_finder`` brings them together."""
