"""Reader of zip archives."""
