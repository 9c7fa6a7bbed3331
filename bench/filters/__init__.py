"""The filter benchmark: lists and searches with a tag and a date range beside the same without filters."""
