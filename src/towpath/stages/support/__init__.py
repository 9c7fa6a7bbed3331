"""Functions that several stages share."""
