"""The pipelines: which stages process a document or a call, and in which order."""
