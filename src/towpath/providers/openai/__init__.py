"""OpenAI and OpenAI-compatible servers: embeddings and the analysis of calls."""
