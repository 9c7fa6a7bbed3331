"""Services and local models that stages call: one package for each vendor."""
