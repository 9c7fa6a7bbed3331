"""The benchmark of publishing a large document on Postgres."""
