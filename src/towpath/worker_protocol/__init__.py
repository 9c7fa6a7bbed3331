"""The contract of workers outside this program, which speak HTTP."""
