"""The stages of the pipelines: one module for each stage."""
