"""Reader of subtitle files."""
