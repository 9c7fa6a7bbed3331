"""The relevance benchmark: nDCG@10 of search on test collections, beside plain BM25."""
