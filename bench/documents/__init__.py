"""The documents scenario: pages per second from upload to searchable, and of the extraction library alone."""
