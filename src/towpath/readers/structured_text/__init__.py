"""Reader of JSON, YAML, XML and Jupyter notebooks."""
