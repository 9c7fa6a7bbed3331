"""Search: words and vectors, fused into one list of hits."""
