"""Reader of OpenDocument texts and presentations."""
