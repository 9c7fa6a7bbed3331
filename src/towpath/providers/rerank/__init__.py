"""Reranking models behind HTTP."""
