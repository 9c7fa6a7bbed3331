"""Reader of EPUB books."""
