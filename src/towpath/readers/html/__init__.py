"""Reader of web pages."""
