"""Reader of PDF files."""
