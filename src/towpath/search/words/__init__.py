"""Word search by BM25 over the word index, on both engines."""
