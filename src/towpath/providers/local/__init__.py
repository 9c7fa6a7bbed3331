"""Providers that run on this machine without an account or a network: embeddings, speech, analysis."""
