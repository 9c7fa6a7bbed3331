"""Read models for the API: documents, runs, jobs, connections, costs and metrics."""
