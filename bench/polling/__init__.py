"""The polling benchmark: many clients ask for the status of their documents at the same time."""
