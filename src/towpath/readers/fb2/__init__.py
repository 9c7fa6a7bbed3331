"""Reader of FictionBook files."""
