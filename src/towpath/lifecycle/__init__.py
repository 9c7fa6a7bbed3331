"""The rules of runs and jobs: legal transitions, backoff and rate limits."""
