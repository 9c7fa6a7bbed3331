"""The growth benchmark: the time of each operation against the size of the library, on both engines."""
