"""Checks of a real installation: wheels in a clean virtual environment, without the network."""
