"""OpenAI, or a server that speaks its language: embeddings, and the analysis of calls."""
