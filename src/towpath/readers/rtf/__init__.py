"""Reader of rich text files (.rtf)."""
