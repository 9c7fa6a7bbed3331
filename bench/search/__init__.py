"""The search benchmark: latency and recall over a large collection, on both engines."""
