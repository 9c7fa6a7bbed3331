"""The request and response models of the API."""
